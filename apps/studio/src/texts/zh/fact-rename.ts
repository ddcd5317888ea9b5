import type { FactRenameTexts } from '../en/fact-rename.ts'

export const factRename: FactRenameTexts = {
  title: (name) => `重命名 ${name}`,
  rename: '重命名…',
  name: '新名称',
  sameName: '它已经是这个名称。',
  preview: '显示将更改的内容',
  intro: (from, to) => `${from} 将改为 ${to}。在下一次发布之前，已上线的内容不会改变。`,
  unused: '没有其他内容使用它。',
  contracts: '契约',
  contract: (before, after) => `版本 ${before} 变为 ${after}：调用方发送新名称`,
  rulesets: '规则集',
  places: (count) => `${count} 处`,
  tests: (count) => `${count} 个测试`,
  onlyContract: '仅其契约',
  submit: (to) => `重命名为 ${to}`,
  stopped: '尚未全部重命名。已完成的部分会保留；重试即可继续。',
}
