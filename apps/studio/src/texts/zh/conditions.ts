import type { conditions as english } from '../en/conditions.ts'

type Operator = Parameters<typeof english.operator>[0]
type RowType = Parameters<typeof english.operator>[1]

const words: Readonly<Record<Operator, string>> = {
  is: '为',
  'is-not': '不为',
  less: '小于',
  'at-most': '不超过',
  more: '大于',
  'at-least': '不少于',
  between: '介于',
  'one-of': '是其中之一：',
  'none-of': '不是其中任何一个：',
  unknown: '未知',
  known: '已知',
  contains: '包含',
  starts: '开头为',
  ends: '结尾为',
}

const ofDates: Readonly<Partial<Record<Operator, string>>> = {
  less: '早于',
  'at-most': '不晚于',
  more: '晚于',
  'at-least': '不早于',
}

const typeNames: Readonly<Record<RowType, string>> = {
  text: '文本',
  number: '数字',
  boolean: '是或否',
  date: '日期',
  list: '列表',
  any: '值',
}

export const conditions: typeof english = {
  notation: '条件和单元格显示为词语或代码',
  notations: { words: '文字', code: '代码' },
  operator: (operator, type) => (type === 'date' ? ofDates[operator] : undefined) ?? words[operator],
  numberOf: (field) => `${field} 的数量`,
  values: { true: '是', false: '否' },
  always: '总是',
  joiners: { and: '且', or: '或' },
  when: '当',
  rowsOf: (branch) => `分支 ${branch} 的条件（逐行）`,
  field: (row) => `第 ${row} 行的字段`,
  operatorOf: (row) => `第 ${row} 行的比较方式`,
  valueOf: (row) => `第 ${row} 行的值`,
  from: (row) => `第 ${row} 行的最小值`,
  to: (row) => `第 ${row} 行的最大值`,
  joinerOf: (row) => `第 ${row} 行与前面各行的连接方式`,
  codeOf: (row) => `第 ${row} 行的表达式`,
  remove: (row) => `删除第 ${row} 行`,
  add: '添加一行：字段或表达式',
  addHint: '字段或表达式…',
  listHint: '多个值，用逗号分隔',
  asCode: '这一部分没有文字形式，请在下方以代码编辑。',
  unreadable: '下方的代码可以读取后，这里会显示各行。',
  notNumber: (text) => `“${text}”不是数字。`,
  notDate: (text) => `“${text}”不是日期。请写成 2026-11-28 的形式。`,
  noField: (name) => `没有字段“${name}”。`,
  noVariable: (name) => `没有步骤设置 ${name}。`,
  readAsField: (name) => `“${name}”被读作字段，但没有这个名称的字段。`,
  wrongType: (name, type) => `“${name}”永远不会匹配：该字段是${typeNames[type]}。`,
  fixes: {
    name: (name) => `使用 ${name}`,
    text: (name) => `将“${name}”读作文本`,
    number: (name) => `将 ${name} 读作数字`,
  },
  replace: (text) => (text === '' ? '删除它' : `改写为 ${text}`),
}
