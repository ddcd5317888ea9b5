import type { Texts } from '../en.ts'

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
