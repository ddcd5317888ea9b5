import type { ReleasesListTexts } from '../en/releases-list.ts'

const way: ReleasesListTexts['way'] = {
  live: (environment) => `${environment}：已上线`,
  running: (environment) => `${environment}：正在上线`,
  next: (environment) => `${environment}：尚未上线`,
}

export const releasesList: ReleasesListTexts = {
  allProjects: '所有项目',
  thisProject: '本项目',
  scope: '发布单范围',
  search: '搜索',
  searchHint: '标题的一部分',
  anyState: '任意状态',
  anyEnvironment: '所有环境',
  project: '项目',
  progress: '进度',
  way,
  waitsFor: '等待',
  or: ' 或 ',
  approval: (missing, roles) => `${roles} 的 ${missing} 个批准`,
  you: '您的批准',
  start: '开始执行',
  decision: '对上线的决定',
  author: '申请人',
  age: '时间',
  noMatch: '没有匹配的发布单',
  noMatchText: '更改筛选条件以查看其他发布单。',
}
