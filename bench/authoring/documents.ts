/** A draft whose table has as many rows as fit. */
export function tableOf(bytes: number, name: string): object {
  const row = (index: number) => ({ id: `r${index}`, cells: { a: `${index}`, b: `>= ${index}`, c: `${index}` } })
  const count = Math.floor((bytes - 1000) / (JSON.stringify(row(100_000)).length + 1))
  return {
    config: { name, version: '1.0.0' },
    startStepId: 't',
    steps: [
      {
        id: 't',
        type: 'table',
        hitPolicy: 'first',
        columns: [
          { id: 'a', kind: 'input', field: 'a', type: 'number' },
          { id: 'b', kind: 'input', field: 'b', type: 'number' },
          { id: 'c', kind: 'output', field: 'c', type: 'number' },
        ],
        rows: Array.from({ length: count }, (_, index) => row(index)),
        nextStepId: 'end',
      },
      { id: 'end', type: 'terminal', code: 'DONE' },
    ],
  }
}

/** A sub-rule of as many steps as fit, each with an assignment. */
export function subRuleOf(bytes: number): object {
  const step = (index: number, next: string) => ({
    id: `s${index}`,
    type: 'action',
    assignments: [{ name: 'fee', value: `amount * ${index} + 1` }],
    nextStepId: next,
  })
  const count = Math.min(15_000, Math.floor((bytes - 1000) / (JSON.stringify(step(10_000, 's10000')).length + 1)))
  return {
    version: '1.0.0',
    graph: {
      startStepId: 's0',
      steps: [
        ...Array.from({ length: count }, (_, index) => step(index, index + 1 === count ? 'end' : `s${index + 1}`)),
        { id: 'end', type: 'terminal', code: 'DONE' },
      ],
    },
    bindings: [{ name: 'amount', type: 'number', required: true }],
    outputs: [{ name: 'fee', type: 'number' }],
  }
}

/** Lists of one number, which take most values for their size, as far as a body may have so many, and a text for the rest of the bytes. */
function listsOf(bytes: number): readonly (string | readonly number[])[] {
  const count = Math.min(MAX_LISTS, Math.max(0, Math.floor(bytes / 4)))
  const lists = Array.from({ length: count }, (_, index) => [index % 10])
  return count < MAX_LISTS ? lists : [...lists, 'x'.repeat(bytes - 4 * count)]
}
const MAX_LISTS = 450_000

/**
 * A draft of one decision that an engine takes: as many branches as it may have, all to one step. Members without a meaning,
 * which are kept, make it as large as it may be.
 */
export function branchesOf(bytes: number, name: string, first = 0): object {
  const branch = (index: number) => ({ id: `b${index}`, condition: `a == ${first + index}`, nextStepId: 'end' })
  const each = JSON.stringify(branch(100_000)).length + 1
  const count = Math.min(20_000, Math.floor((bytes - 1000) / each))
  const notes = listsOf(bytes - 1000 - count * each)
  return {
    config: { name, version: '1.0.0' },
    startStepId: 'd',
    steps: [
      {
        id: 'd',
        type: 'decision',
        branches: Array.from({ length: count }, (_, index) => branch(index)),
        defaultNextStepId: 'end',
      },
      { id: 'end', type: 'terminal', code: 'DONE' },
    ],
    notes,
  }
}

/** Cases of long inputs, of about 10 MiB. */
export const longCases = () =>
  Array.from({ length: 5000 }, (_, index) => ({
    name: `case ${index}`,
    input: { text: 'x'.repeat(1900), amount: index },
    expect: { code: 'A' },
  }))

/** One case whose input has as many values as fit. */
export const wideCase = (bytes: number) => [
  {
    name: 'wide',
    input: { list: listsOf(bytes - 1000) },
    expect: { code: 'DONE' },
  },
]

/** A decision table as CSV, of as many rows as are taken. */
export const csvOf = (rows: number) =>
  `in:a,in:b,out:c\n${Array.from({ length: rows }, (_, index) => `${index},>= ${index},${index}\n`).join('')}`
