/** The words for operators; dates use different ones. */
const words = {
  is: 'is',
  'is-not': 'is not',
  less: 'is less than',
  'at-most': 'is at most',
  more: 'is more than',
  'at-least': 'is at least',
  between: 'is between',
  'one-of': 'is one of',
  'none-of': 'is none of',
  unknown: 'is not known',
  known: 'is known',
  contains: 'contains',
  starts: 'starts with',
  ends: 'ends with',
}

type Operator = keyof typeof words

const ofDates: { readonly [O in Operator]?: string } = {
  less: 'is before',
  'at-most': 'is on or before',
  more: 'is after',
  'at-least': 'is on or after',
}

const typeNames = {
  text: 'a text',
  number: 'a number',
  boolean: 'yes or no',
  date: 'a date',
  list: 'a list',
  any: 'a value',
}

type RowType = keyof typeof typeNames

export const conditions = {
  notation: 'Conditions and cells in words or as code',
  notations: { words: 'Words', code: 'Code' },
  operator: (operator: Operator, type: RowType): string =>
    (type === 'date' ? ofDates[operator] : undefined) ?? words[operator],
  numberOf: (field: string) => `number of ${field}`,
  values: { true: 'yes', false: 'no' },
  always: 'always',
  joiners: { and: 'and', or: 'or' },
  when: 'when',
  rowsOf: (branch: number) => `Condition of branch ${branch} in rows`,
  field: (row: number) => `Field of row ${row}`,
  operatorOf: (row: number) => `Comparison of row ${row}`,
  valueOf: (row: number) => `Value of row ${row}`,
  from: (row: number) => `Lowest value of row ${row}`,
  to: (row: number) => `Highest value of row ${row}`,
  joinerOf: (row: number) => `Joins row ${row} to the rows before it`,
  codeOf: (row: number) => `Row ${row} as an expression`,
  remove: (row: number) => `Delete row ${row}`,
  add: 'Add a row: a field, or an expression',
  addHint: 'a field, or an expression…',
  listHint: 'several, with commas between them',
  asCode: 'This part has no words. Edit it as code below.',
  unreadable: 'Rows appear once the code below can be read.',
  notNumber: (text: string) => `“${text}” is not a number.`,
  notDate: (text: string) => `“${text}” is not a date. Write it like 2026-11-28.`,
  noField: (name: string) => `There is no field “${name}”.`,
  noVariable: (name: string) => `Nothing sets ${name}.`,
  readAsField: (name: string) => `“${name}” is read as a field, and there is none of this name.`,
  wrongType: (name: string, type: RowType) => `“${name}” never matches: the field is ${typeNames[type]}.`,
  fixes: {
    name: (name: string) => `Use ${name}`,
    text: (name: string) => `Read “${name}” as text`,
    number: (name: string) => `Read ${name} as a number`,
  },
  replace: (text: string) => (text === '' ? 'Remove it' : `Write ${text} instead`),
}
