import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messagesOf, textsOf } from './prose.testing.ts'

/**
 * Plain English: odd turns of phrase are counted in the comments, the pages and the messages of each workspace. The counts of
 * `tests/prose-counts.json` may only fall. A count that has fallen is lowered by `PROSE=write npx vitest run tests/prose.test.ts`,
 * which raises none. Goal: no odd turn in messages, at most 2 in 1,000 words of comments and pages. The patterns are a sample: a
 * sentence can be odd without them. docs/specification is kept as it was agreed and left out.
 */
const ROOT = join(import.meta.dirname, '..')
const COUNTS = join(ROOT, 'tests/prose-counts.json')

const PATTERNS: Readonly<Record<string, RegExp>> = {
  'somebody, nobody': /\b(?:somebody|nobody|whoever|anybody|everybody)\b/gi,
  'said, told, asks': /\b(?:said|told|tells?|says?|asks?|asked)\b/gi,
  '"what …" as a noun':
    /\b[Ww]hat (?:is|was|has|are|were|it|they|a|the|of|had|can|must|may|belongs|comes|came|did|does|stands|follows|others|people|engines)\b/g,
  'goes on, any more, at once': /\b(?:from now on|goes on|go on|any more|for ever|at once)\b/gi,
  'begins with Of, Without, Beside': /(?:(?<=[.!?] )|^)(?:Of (?!course)|Without |Beside )[a-z]/g,
  beside: /\bbeside\b/g,
  'is to be, are to have': /\b(?:is|are|was|were) to (?:be|have|take|keep|hold|go)\b/g,
  'is there (without a noun)': /\b(?:is|are|was) there\b(?! (?:a|an|any|no))/g,
  'in the place of': /\bin (?:the )?place of\b/g,
  'is no (noun)': /(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more|other|such|different|one\b)[a-z]/g,
  'is away': /\b(?:is|are|was|were) away\b/g,
  'the own': /\b(?:the|an|a) own\b/gi,
  anew: /\banew\b/g,
}

interface Found {
  readonly path: string
  readonly text: string
}

/** The odd turns in texts of one file, each with its sentence. */
const oddIn = (path: string, texts: readonly string[]): readonly Found[] =>
  texts.flatMap((text) =>
    Object.values(PATTERNS).flatMap((pattern) => (text.match(pattern) ?? []).map(() => ({ path, text }))),
  )

const wordsIn = (texts: readonly string[]) => texts.reduce((sum, text) => sum + (text.match(/\S+/g)?.length ?? 0), 0)

const KINDS = ['comments', 'pages', 'messages'] as const
type Kind = (typeof KINDS)[number]
interface Measure {
  readonly words: number
  readonly odd: readonly Found[]
}

/** `packages/expression`, `docs`, or `.` for the files of the root. */
const workspaceOf = (path: string) =>
  /^(?:apps|packages)\/[^/]+|^(?:bench|build|deploy|docs|examples|tests)(?=\/)/.exec(path)?.[0] ?? '.'

const EXCLUDED = [
  '**/node_modules/**',
  'out/**',
  '**/dist/**',
  '**/generated/**',
  'docs/specification/**',
  'docs/platform/*clauses*.md',
]
const FILES = globSync('{*.md,{apps,packages,bench,build,deploy,docs,examples,tests}/**/*.{ts,tsx,md}}', {
  cwd: ROOT,
  exclude: EXCLUDED,
}).filter((path) => !/_pb\.ts$|\.d\.ts$|apps\/studio\/src\/api\/schema\.ts$/.test(path))

function measured(): ReadonlyMap<string, Readonly<Record<Kind, Measure>>> {
  const texts = FILES.map((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8')
    const { comments, code } = textsOf(path, source)
    const isPage = path.endsWith('.md')
    // Tests quote the messages of others.
    const isTest = /\.test\.tsx?$|\.testing\.ts$|^tests\//.test(path)
    return {
      path,
      workspace: workspaceOf(path),
      comments: isPage ? [] : comments,
      pages: isPage ? comments : [],
      messages: isPage || isTest ? [] : messagesOf(code),
    }
  })
  return new Map(
    [...Map.groupBy(texts, ({ workspace }) => workspace)]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([workspace, files]) => {
        const measure = (kind: Kind): Measure => ({
          words: files.reduce((sum, file) => sum + wordsIn(file[kind]), 0),
          odd: files.flatMap((file) => oddIn(file.path, file[kind])),
        })
        return [
          workspace,
          { comments: measure('comments'), pages: measure('pages'), messages: measure('messages') },
        ] as const
      }),
  )
}

const now = measured()
type Counts = Readonly<Record<string, Readonly<Partial<Record<Kind, number>>>>>
const read = (): Counts => JSON.parse(readFileSync(COUNTS, 'utf8')) as Counts

if (process.env['PROSE'] === 'write') {
  const allowed = read()
  const counts = Object.fromEntries(
    Array.from(now, ([workspace, kinds]) => [
      workspace,
      Object.fromEntries(
        KINDS.filter((kind) => kinds[kind].words > 0).map((kind) => [
          kind,
          Math.min(kinds[kind].odd.length, allowed[workspace]?.[kind] ?? 0),
        ]),
      ),
    ]),
  )
  writeFileSync(COUNTS, `${JSON.stringify(counts, undefined, 2)}\n`)
}

const allowed = read()
const cases = Array.from(now, ([workspace, kinds]) =>
  KINDS.filter((kind) => kinds[kind].words > 0).map((kind) => ({ workspace, kind, ...kinds[kind] })),
).flat()

test.each(cases)('$kind of $workspace have no more odd turns than before', ({ workspace, kind, odd }) => {
  const most = allowed[workspace]?.[kind] ?? 0
  const rest = odd.map(({ path, text }) => `${path}: ${text.slice(0, 200)}`)
  // The sentences are the message: one of them is new.
  expect(odd.length > most ? rest : []).toEqual([])
})

test('counts that have fallen are lowered: PROSE=write npx vitest run tests/prose.test.ts', () => {
  const fallen = cases
    .filter(({ workspace, kind, odd }) => odd.length < (allowed[workspace]?.[kind] ?? 0))
    .map(({ workspace, kind, odd }) => `${kind} of ${workspace}: ${odd.length}`)
  expect(fallen).toEqual([])
})

test('the table names workspaces that exist', () => {
  expect(Object.keys(allowed).filter((workspace) => !now.has(workspace))).toEqual([])
})
