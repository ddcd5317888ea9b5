import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { analyze, createSession, type DecisionRecord, diff, replay, whyNot } from '@engine/analysis'
import { isList, parseJson, type Value } from '@engine/expression'
import { decodeRuleset, isFields, ReadExpressions, type Ruleset, type RulesetDocument } from '@engine/ruleset'
import { build } from 'rolldown'
import { median, table } from '../measure.ts'

/** A row of a table: its condition. */
type Row = (index: number) => string

const RANGES: Row = (index) => {
  const from = Math.floor(index / 10) * 10
  return `amount >= ${from} && amount < ${from + 10} && tier == "t${index % 10}"`
}

/** Rows that are all live. */
const SHAPES: Readonly<Record<string, Row>> = {
  'a text, a number and a flag': (index) =>
    `country == "C${index % 50}" && score >= ${Math.floor(index / 50)} && ${index % 2 === 0 ? '' : '!'}vip`,
  'a range and a text': RANGES,
}

function decoded(document: RulesetDocument, expressions?: ReadExpressions): Ruleset {
  const { ruleset, problems } = decodeRuleset(document, { expressions })
  if (ruleset === undefined) throw new Error(`an invalid ruleset: ${problems[0]?.message ?? ''}`)
  return ruleset
}

const terminal = (id: string): Value => ({ id, type: 'terminal', result: { code: id, message: '' } })

/**
 * @param edited a row with another condition
 * @param expressions those of the version before
 */
function tableOf(
  rows: number,
  row: Row,
  edited?: { readonly index: number; readonly condition: string },
  expressions?: ReadExpressions,
): Ruleset {
  const branches = Array.from({ length: rows }, (_, index): Value => ({
    condition: edited?.index === index ? edited.condition : row(rows - 1 - index),
    next_step: `R${index % 20}`,
  }))
  const results = Array.from({ length: 20 }, (_, index) => `R${index}`)
  const document = {
    config: { name: 'table', entry_step: 'd' },
    steps: {
      d: { id: 'd', type: 'decision', branches, default_next: 'none' },
      ...Object.fromEntries([...results, 'none'].map((id) => [id, terminal(id)])),
    },
  }
  return decoded(document, expressions)
}

/** Decisions of ten branches each in a row, which set variables for the next. */
function graphOf(branches: number): Ruleset {
  const count = Math.ceil(branches / 10)
  const steps = Array.from({ length: count }, (_, step): [string, Value] => {
    const next = step === count - 1 ? 'END' : `s${step + 1}`
    const rows = Array.from({ length: 10 }, (_branch, index): Value => ({
      condition: `f${step % 20} == "v${index}" && n${step % 7} >= ${step}`,
      next_step: index === 9 ? 'STOP' : next,
    }))
    return [`s${step}`, { id: `s${step}`, type: 'decision', branches: rows, default_next: next }]
  })
  return decoded({
    config: { name: 'graph', entry_step: 's0', max_depth: count + 10 },
    steps: { ...Object.fromEntries(steps), END: terminal('END'), STOP: terminal('STOP') },
  })
}

/** Milliseconds of processor time: other programs on the machine are not counted. */
function milliseconds(run: () => void): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const rounds = (count: number, run: (round: number) => void): readonly number[] =>
  Array.from({ length: count }, (_, round) => milliseconds(() => run(round)))

const p95 = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN

type Line = readonly [what: string, measured: string, bar: string]

const ms = (value: number) => (value < 10 ? `${value.toFixed(1)} ms` : `${value.toFixed(0)} ms`)

function cold(): readonly Line[] {
  const bars = new Map([
    [100, '150 ms'],
    [1000, '500 ms'],
    [10_000, '5,000 ms'],
  ])
  return [...bars].flatMap(([count, bar]) => {
    const repeated = count === 10_000 ? 1 : 3
    const shapes = Object.entries(SHAPES).map(([name, row]) => [`table, ${name}`, () => tableOf(count, row)] as const)
    return [...shapes, ['graph', () => graphOf(count)] as const].map(([name, make]): Line => {
      const ruleset = make()
      let unknown = 0
      const times = rounds(repeated, () => {
        unknown = analyze(ruleset).questions.unknown
      })
      return [`cold, ${count} branches, ${name}`, `${ms(median(times))}, ${unknown} unknown`, bar]
    })
  })
}

/** A hundred branches over the result of a called table, which proofs do not know. */
function calling(): Line {
  const branches = Array.from({ length: 100 }, (_, index): Value => ({
    condition: `$answer.code == "R${index % 20}" && amount > ${index}`,
    next_step: index % 2 === 0 ? 'EVEN' : 'ODD',
  }))
  const call = { action: 'call_ruleset', ruleset_name: 'called', result_variable: 'answer' }
  const ruleset = decoded({
    config: { name: 'calling', entry_step: 'ask' },
    steps: {
      ask: { id: 'ask', type: 'action', actions: [call], next_step: 'd' },
      d: { id: 'd', type: 'decision', branches, default_next: 'NONE' },
      ...Object.fromEntries(['EVEN', 'ODD', 'NONE'].map((id) => [id, terminal(id)])),
    },
  })
  const callees = new Map([['called', tableOf(1000, RANGES)]])
  let unknown = 0
  const times = rounds(3, () => {
    unknown = analyze(ruleset, { callees }).questions.unknown
  })
  return [
    'cold, 100 branches over the result of a called table of 1,000 rows',
    `${ms(median(times))}, ${unknown} unknown`,
    '',
  ]
}

/** With generated code, and without it as in the studio: decoding is part of it. */
function sessions(): readonly Line[] {
  const ways = [
    ['', true],
    [', without generated code', false],
  ] as const
  return Object.entries(SHAPES).flatMap(([name, row]) =>
    ways.map(([way, compiles]): Line => {
      const expressions = new ReadExpressions()
      const session = createSession(tableOf(1000, row, undefined, expressions), { compiles })
      const times = rounds(100, (round) => {
        const index = (round * 47) % 1000
        const edited = { index, condition: `${row(999 - index)} && extra > ${round}` }
        session.update(tableOf(1000, row, edited, expressions))
      })
      const measured = `${ms(p95(times))} (median ${ms(median(times))})`
      return [`session, one edit of 1,000 rows, ${name}${way}, p95`, measured, '50 ms']
    }),
  )
}

function diffs(): readonly Line[] {
  const lines = [
    [100, 40, '150 ms'],
    [1000, 5, '200 ms'],
  ] as const
  return lines.flatMap(([length, count, bar]) =>
    Object.entries(SHAPES).map(([name, row]): Line => {
      const before = tableOf(length, row)
      const times = rounds(count, (round) => {
        const index = (round * 31) % length
        diff(before, tableOf(length, row, { index, condition: `${row(length - 1 - index)} && extra > ${round}` }))
      })
      return [`diff of one edit, ${length} rows, ${name}, p95`, ms(p95(times)), bar]
    }),
  )
}

function example(name: string): RulesetDocument {
  return documentIn(readFileSync(new URL(`../../examples/${name}/ruleset.json`, import.meta.url), 'utf8'))
}

function documentIn(text: string): RulesetDocument {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers: 'document' })
  if (parsed.kind === 'failed' || !isFields(parsed.value)) throw new Error('the text is not a ruleset')
  return parsed.value
}

function shipping(): Line {
  const document = example('shipping-rates')
  const text = JSON.stringify(document)
  const edited = text.replace(/(weight[a-z_]*) <= (\d+)/, (_all, field: string, limit: string) => `${field} < ${limit}`)
  if (edited === text) throw new Error('shipping-rates has no such comparison')
  const [before, after] = [decoded(document), decoded(documentIn(edited))]
  let unknown = 0
  const time = median(
    rounds(3, () => {
      unknown = diff(before, after).unknown.length
    }),
  )
  return ['one comparison of `shipping-rates`', `${ms(time)}, ${unknown} unknown`, '1,000 ms, 0 unknown']
}

function whyNots(): Line {
  const ruleset = tableOf(200, RANGES)
  const times = rounds(40, (round) => {
    whyNot(ruleset, { amount: round * 5, tier: `t${round % 10}` }, { code: `R${(round * 7) % 20}` })
  })
  return ['why-not, 200 branches, p95', ms(p95(times)), '50 ms']
}

const RECORDS = 1_000_000

function replays(): Line {
  const [before, after] = [tableOf(100, RANGES), tableOf(100, RANGES, { index: 50, condition: 'amount < 0' })]
  const records = Array.from({ length: RECORDS }, (_, index): DecisionRecord => ({
    input: { amount: index % 120, tier: `t${index % 10}`, vip: index % 3 === 0 },
  }))
  const time = milliseconds(() => {
    if (replay(before, after, records).replayed !== RECORDS) throw new Error('not all were replayed')
  })
  return ['replay of 1,000,000 records by both versions of 100 rows', ms(time), '5,000 ms']
}

/** Exports that an editor loads to show findings. */
const PAGE = 'assumedDomain, createSession, isFault'

/** Bytes for a page that has the language and the rulesets already: of an editor, and of the whole library. */
async function sizes(): Promise<readonly Line[]> {
  const index = new URL('../../packages/analysis/src/index.ts', import.meta.url).pathname
  const texts = [
    ['gzip size of an editor in a page, without expression and ruleset', `export { ${PAGE} } from '${index}'`, '30 kB'],
    ['gzip size of the whole library', `export * from '${index}'`, ''],
  ] as const
  return Promise.all(
    texts.map(async ([what, text, bar]): Promise<Line> => {
      const { output } = await build({
        input: 'entry',
        plugins: [
          {
            name: 'entry',
            resolveId: (id) => (id === 'entry' ? id : undefined),
            load: (id) => (id === 'entry' ? text : undefined),
          },
        ],
        external: ['@engine/expression', '@engine/ruleset'],
        output: { minify: true },
        write: false,
      })
      const bytes = gzipSync(output[0].code).length
      return [what, `${(bytes / 1000).toFixed(1)} kB`, bar]
    }),
  )
}

function examples(hasCases: boolean): Line {
  const folder = new URL('../../examples/', import.meta.url)
  const names = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/ruleset.json`, folder)))
  let [all, unknown] = [0, 0]
  // As `engine analyze examples`: they call one another.
  const rulesets = new Map(names.map((name) => [name, decoded(example(name))]))
  for (const [name, ruleset] of rulesets) {
    const seeds = hasCases ? casesOf(new URL(`${name}/ruleset.cases.json`, folder)) : []
    const { questions } = analyze(ruleset, { seeds, callees: rulesets })
    unknown += questions.unknown
    all += questions.proved + questions.refuted + questions.unknown
  }
  return [
    `unknown of ${all} questions about the examples${hasCases ? '' : ', none of their cases known'}`,
    `${((100 * unknown) / all).toFixed(1)} %`,
    '1 %',
  ]
}

/** The inputs of the cases of an example, with which `engine analyze` begins too. */
function casesOf(file: URL): readonly DecisionRecord['input'][] {
  if (!existsSync(file)) return []
  const parsed = parseJson(readFileSync(file, 'utf8'), { duplicateKeys: 'last', numbers: 'document' })
  const cases = parsed.kind === 'parsed' ? parsed.value : null
  const list = isFields(cases) ? cases['cases'] : cases
  return isList(list) ? list.flatMap((one) => (isFields(one) && isFields(one['input']) ? [one['input']] : [])) : []
}

/** The bars of the analysis, on one core. */
export async function analysis(): Promise<void> {
  const lines = [
    ...cold(),
    calling(),
    ...sessions(),
    ...diffs(),
    shipping(),
    whyNots(),
    replays(),
    ...(await sizes()),
    examples(true),
    examples(false),
  ]
  table(['what', 'measured', 'bar'], lines)
}
