import type { Texts } from '../en.ts'

export const signIn: Texts['signIn'] = {
  title: '登录',
  welcome: '欢迎',
  choosePassword: '请为此账户设置密码。该链接只能使用一次。',
  email: '电子邮箱',
  password: '密码',
  newPassword: '新密码',
  passwordHint: '至少 8 个字符',
  submit: '登录',
  forgot: '忘记密码？',
  resetTitle: '设置新密码',
  resetText: '请输入账户的邮箱地址。您会收到设置新密码的链接；链接只能使用一次，24 小时内有效。',
  resetSubmit: '发送链接',
  resetSent: (email) => `如果 ${email} 有账户，链接已发送。`,
  resetNoMail: '没有收到邮件？请联系平台运维人员：未配置邮件服务器时，链接保存在服务器上。',
  resetBack: '返回登录',
  sso: '单点登录',
  invitation: '邀请',
  invitationText: '您被邀请加入一个组织。',
  invitedHint: '仅新账户需要，至少 8 个字符',
  noToken: '链接不完整：请从邀请中重新打开。',
  name: '姓名',
  accept: '接受',
  again: '会话已结束',
  againText: (email) => `请以 ${email} 重新登录。页面上的工作会保留。`,
}

export const organizations: Texts['organizations'] = {
  title: '组织',
  text: '您所属的组织。',
  make: '新建组织',
  none: '您还不属于任何组织',
  noneText: '新建一个组织，或打开邀请链接。',
  name: '名称',
  description: '描述',
  counts: (projects, members) => `${projects} 个项目，${members} 名成员`,
}

export const projects: Texts['projects'] = {
  title: '项目',
  text: '规则集属于项目；每个项目有自己的环境。',
  make: '新建项目',
  choose: '从模板开始：模板包含规则、测试和契约。',
  bare: '空项目',
  bareText: '不含任何内容',
  contains: (cases, facts) => `${cases} 个测试，${facts} 个事实`,
  name: '名称',
  description: '描述',
  environment: '当前环境',
  none: '还没有项目',
  noneText: '从一个模板开始，立即可以决策。',
}

export const members: Texts['members'] = {
  title: '成员',
  text: '此组织的成员及其角色。',
  invite: '邀请',
  invited: '已邀请',
  mailed: '邀请已通过邮件发送。',
  giveLink: '此平台不发送邮件：请将此链接交给对方。链接只显示一次。',
  link: '邀请链接',
  name: '姓名',
  email: '电子邮箱',
  roles: '角色',
  status: '状态',
  statuses: { active: '有效', invited: '已邀请' },
  inherited: '来自上级组织',
  actions: '操作',
  changeRoles: '更改角色',
  rolesOf: (email) => `${email} 的角色`,
  remove: '移除',
  removeText: (email) => `${email} 将失去对此组织的全部访问权限，其 API 密钥也将失效。`,
}

export const roles: Texts['roles'] = {
  title: '角色',
  text: '成员所持有的权限集合。',
  make: '新建角色',
  change: '更改',
  remove: '删除',
  removeText: (name) => `角色 ${name} 将被删除。仍有成员持有的角色不会被删除。`,
  name: '名称',
  rights: '权限',
  actions: '操作',
  system: '内置',
}

export const keysPage: Texts['keysPage'] = {
  title: 'API 密钥',
  text: '程序使用的凭据。密钥的权限不会超过其创建者。',
  make: '新建密钥',
  made: '新密钥',
  once: '请立即复制：密钥只显示一次。',
  name: '名称',
  prefix: '开头',
  rights: '权限',
  used: '最近使用',
  expires: '到期',
  revoke: '吊销',
  revokeText: (name) => `使用 ${name} 的程序从现在起将被拒绝。`,
  none: '还没有密钥',
  noneText: '请求决策的程序需要具有 decision.execute 权限的密钥。',
}

export const engines: Texts['engines'] = {
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
  labelHint: '用于区分令牌',
  prefix: '开头',
  used: '最近使用',
  revoke: '吊销',
  noTokens: '没有令牌',
  noTokensText: '令牌用于注册新引擎；已连接的引擎不受影响。',
}

export const audit: Texts['audit'] = {
  title: '审计',
  text: '谁在何时何处更改了什么。',
  forbidden: '需要权限 audit.read',
  action: '操作',
  object: '对象',
  at: '时间',
  actor: '操作者',
  address: '地址',
  details: '前后对比',
  before: '之前',
  after: '之后',
  none: '没有匹配的记录',
  noneText: '更改筛选条件以查看其他记录。',
}

export const settings: Texts['settings'] = {
  title: '组织设置',
  text: '此组织的名称和描述。',
  name: '名称',
  description: '描述',
  save: '保存',
  saved: '已保存',
  readOnly: '只有所有者可以更改这些设置。',
  remove: '删除组织',
  removeText: '仍有项目或子组织的组织不会被删除。',
}
