import { parseJson, readJson, writeJson } from '@engine/expression'
import { compare, round, table } from '../measure.ts'

const item = {
  customer: { age: 34, country: 'DE', tier: 'gold', years: 3 },
  order: { total: 123.45, items: 3, express: true },
}
const times = (text: string, length: number) => text.repeat(Math.ceil(length / text.length))

/** Bodies as clients send them. */
const ORDINARY: readonly (readonly [name: string, text: string, rounds: number])[] = [
  ['an input', JSON.stringify({ input: item }), 20_000],
  ['an input with escapes in its texts', JSON.stringify({ input: { ...item, note: 'a "quoted"\nline' } }), 20_000],
  ['1 kB', JSON.stringify({ inputs: Array.from({ length: 7 }, () => item) }), 4000],
  ['a batch of 1,000', JSON.stringify({ inputs: Array.from({ length: 1000 }, () => item) }), 20],
  ['a batch of 10,000', JSON.stringify({ inputs: Array.from({ length: 10_000 }, () => item) }), 2],
]

const LARGE = 10_000_000

/** Texts of 10 MB made to take long. */
const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ['empty lists', `[${times('[],', LARGE)}1]`],
  ['empty objects', `[${times('{},', LARGE)}1]`],
  ['lists 120 deep', `[${times(`${'['.repeat(120)}${']'.repeat(120)},`, LARGE)}1]`],
  [
    '99,000 keys in one object',
    `{${Array.from({ length: 99_000 }, (_, index) => `"${'k'.repeat(90)}${index}":1`).join()}}`,
  ],
  [
    'objects of one key each, all different',
    `[${Array.from({ length: 800_000 }, (_, index) => `{"${index}k":1}`).join()}]`,
  ],
  ['keys with escapes', `[${times('{"\\n":1},', LARGE)}1]`],
  ['exact integers', `[${times('9007199254740993,', LARGE)}1]`],
  ['digits behind a point', `[0.${'1'.repeat(LARGE)}]`],
  ['one text of escapes', `["${times('\\n', LARGE)}"]`],
]

/** Our JSON parser compared with `JSON.parse`, and the longest piece when it parses in pieces. */
export async function json(): Promise<void> {
  const rows: (string | number)[][] = []
  let sink = 0
  for (const [name, text, rounds] of ORDINARY) {
    const sides = await compare([
      {
        name: 'own',
        times: rounds,
        run: (count) => {
          for (let index = 0; index < count; index++) sink += parseJson(text, LAST).kind.length
        },
      },
      {
        name: 'JSON.parse',
        times: rounds,
        run: (count) => {
          for (let index = 0; index < count; index++) sink += Object.keys(JSON.parse(text) as object).length
        },
      },
    ])
    const [own = 0, bare = 0] = [sides.get('own'), sides.get('JSON.parse')]
    rows.push([name, text.length, round(own / 1000), round(own / bare)])
  }
  table(['text', 'bytes', 'us', 'times JSON.parse'], rows)
  table(
    ['10 MB of', 'read, ms', 'longest piece', 'written again, ms', 'longest piece'],
    HOSTILE.map(([name, text]) => {
      const read = inPieces(readJson(text, LAST))
      if (read.result.kind === 'failed') throw new Error(`${name}: ${read.result.problem.message}`)
      const written = inPieces(writeJson(read.result.value))
      return [name, ...[read.total, read.longest, written.total, written.longest].map((time) => Math.round(time))]
    }),
  )
  if (sink === 0) throw new Error('nothing was read')
}

const LAST = { duplicateKeys: 'last' } as const
/** Characters of a piece: as `packages/process/src/turns.ts` has it. */
const PIECE = 32 * 1024

/** Processor milliseconds of all pieces, and of the longest: what waits meanwhile waits for one piece. */
function inPieces<Result>(work: { advance(characters: number): Result | undefined }) {
  let total = 0
  let longest = 0
  for (;;) {
    const start = process.threadCpuUsage()
    const result = work.advance(PIECE)
    const { user, system } = process.threadCpuUsage(start)
    total += (user + system) / 1000
    longest = Math.max(longest, (user + system) / 1000)
    if (result !== undefined) return { result, total, longest }
  }
}
