import type { EngineTexts } from '../en/engines.ts'

const list: EngineTexts['list'] = {
  ofProject: '为本项目各环境提供服务的引擎。',
  environments: '环境',
  decisions: '每小时决策',
  failures: '错误',
  content: '内容',
  held: (count) => `${count} 个规则集`,
  same: (others) => (others === 0 ? '与其他引擎都不同' : `与另外 ${others} 个相同`),
  empty: '无',
  behind: '新内容正在送达',
  seen: '最近在线',
  neverSeen: '从未',
  silent: (name) => `${name} 没有报告`,
  leaves: (environment, online) =>
    online === 0 ? `现在没有引擎为 ${environment} 服务。` : `${environment} 还有 ${online} 个引擎。`,
  engineName: '引擎名称',
  engineNameHint: '在此列表中显示的名称，例如 eu-3',
  port: '端口',
  portHint: '调用方访问引擎的端口',
  waiting: '正在等待引擎…',
  joined: (name) => `${name} 已加入。`,
  open: '打开',
  serves: '它服务的环境',
  noneOfProject: '没有引擎为本项目服务',
  noneOfProjectText: '为环境选择引擎，或先连接一个引擎。',
}

export const engines: EngineTexts = {
  title: '引擎',
  text: '执行决策的服务器。每个引擎都与此平台保持连接。',
  connect: '连接引擎',
  makeToken: '生成令牌',
  once: '使用此命令启动引擎。令牌只显示一次。',
  command: '命令',
  name: '名称',
  status: '状态',
  statuses: { online: '在线', degraded: '降级', offline: '离线' },
  identities: { failed: '身份未证实', unsupported: '身份无法证实' },
  region: '区域',
  version: '版本',
  rulesets: '规则集',
  revision: '修订',
  behind: (applied, desired) => `${applied} / ${desired}`,
  heartbeat: '最近心跳',
  checks: { store_lock: '存储', disk_writable: '磁盘', accepting_requests: '请求', sync: '同步' },
  health: '健康状况',
  uptime: '运行时间',
  lasting: (seconds) => {
    const minutes = Math.floor(seconds / 60)
    const hours = Math.floor(minutes / 60)
    return hours >= 48
      ? `${Math.floor(hours / 24)} 天`
      : hours >= 1
        ? `${hours} 小时 ${minutes % 60} 分钟`
        : minutes >= 1
          ? `${minutes} 分钟`
          : `${Math.floor(seconds)} 秒`
  },
  address: '地址',
  noAddress: '未提供',
  tenants: '服务多个环境',
  yes: '是',
  no: '否',
  capabilities: '能力',
  metrics: '决策趋势',
  span: '时间范围',
  spans: { hour: '一小时', day: '一天', week: '一周' },
  executions: '执行次数',
  errors: '错误',
  others: '其他',
  noCounts: '此时间段内没有决策。',
  ruleset: '规则集',
  content: '内容',
  tenant: '租户',
  noRulesets: '没有规则集。',
  none: '还没有连接引擎',
  noneText: '生成令牌并用它启动引擎。',
  tokens: '连接令牌',
  label: '标签',
  prefix: '开头',
  used: '最近使用',
  revoke: '吊销',
  noTokens: '没有令牌',
  noTokensText: '令牌用于注册新引擎；已连接的引擎不受影响。',
  list,
}
