import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { expect, test } from 'vitest'

/**
 * Measures of the sources that ship and of the benchmarks: type casts (`as`, except `as const`) are at most 3 in 1,000 lines,
 * and 85 % of the exported declarations have a doc comment. The casts of each workspace in `tests/cast-counts.json` may only
 * fall: a guard, a generic signature, `defined` or `tableKeys` of @engine/expression does the same and is checked. A count that
 * has fallen is lowered by `CASTS=write npx vitest run tests/code-measures.test.ts`, which raises none.
 */
const ROOT = join(import.meta.dirname, '..')
const COUNTS = join(ROOT, 'tests/cast-counts.json')

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** The nodes below a node, itself included. */
function nodesOf(root: Node): readonly Node[] {
  const found = [root]
  // The list grows while it is read.
  for (const node of found)
    for (const member of Object.values(node))
      for (const child of Array.isArray(member) ? member : [member]) if (isNode(child)) found.push(child)
  return found
}

const isConst = (type: unknown) => isNode(type) && isNode(type['typeName']) && type['typeName']['name'] === 'const'
const isCast = (node: Node) => node.type === 'TSAsExpression' && !isConst(node['typeAnnotation'])

interface Source {
  readonly path: string
  readonly lines: number
  /** `path:line` of each cast. */
  readonly casts: readonly string[]
  /** For each exported declaration, whether a doc comment precedes it. */
  readonly documented: readonly boolean[]
}

/** Measure one file; throws for a text that does not parse. Linear. */
function measured(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  if (!isNode(program)) throw new Error(`${path} has no program`)
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  // Most files have no cast: only the others are searched.
  const casts = (/\bas\s+(?!const\b)/.test(text) ? nodesOf(program) : [])
    .filter(isCast)
    .map(({ typeAnnotation }) => (isNode(typeAnnotation) ? typeAnnotation.start : 0))
    .toSorted((left, right) => left - right)
    .map((offset) => `${path}:${lineOf(offset)}`)
  const documented = program.body.flatMap((statement, index) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return []
    const before = program.body[index - 1]?.end ?? 0
    const isDoc = ({ start, value }: (typeof comments)[number]) =>
      start >= before && start < statement.start && value.startsWith('*')
    return [comments.some(isDoc)]
  })
  return { path, lines: text.split('\n').length - 1, casts, documented }
}

const workspaceOf = (path: string) => /^(?:apps|packages)\/[^/]+|^bench(?=\/)/.exec(path)?.[0] ?? '.'

const EXCLUDED = ['**/node_modules/**', '**/dist/**', '**/generated/**', '**/migrations/**']
const SOURCES = globSync('{apps,packages,bench}/**/*.{ts,tsx}', { cwd: ROOT, exclude: EXCLUDED })
  .filter((path) => !/(?:\.test|\.testing|\.test-d|_pb|\.d)\.tsx?$|apps\/studio\/src\/api\/schema\.ts$/.test(path))
  .map((path) => measured(path, readFileSync(join(ROOT, path), 'utf8')))

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const byWorkspace = new Map(
  [...Map.groupBy(SOURCES, ({ path }) => workspaceOf(path))]
    .map(([workspace, files]) => [workspace, files.flatMap(({ casts }) => casts)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1)),
)

const read = () => JSON.parse(readFileSync(COUNTS, 'utf8')) as Readonly<Record<string, number>>
if (process.env['CASTS'] === 'write') {
  const before = read()
  const counts = Array.from(byWorkspace, ([name, casts]) => [name, Math.min(casts.length, before[name] ?? 0)] as const)
  writeFileSync(COUNTS, `${JSON.stringify(Object.fromEntries(counts), undefined, 2)}\n`)
}
const allowed = read()

test('casts and documented exports are found in a source', () => {
  const text = `/** Documented. */
export const one = read() as unknown as string
export const two = [1] as const
// A comment that documents nothing.
export function three() { return <T,>(value: T) => value as T }
const four = 4 as number
`
  const { casts, documented, lines } = measured('one.ts', text)
  expect(casts).toEqual(['one.ts:2', 'one.ts:2', 'one.ts:5', 'one.ts:6'])
  expect([documented, lines]).toEqual([[true, false, false], 6])
})

test.each([...byWorkspace])('%s has no more casts than before', (workspace, casts) => {
  // The places are the message: one of them is new.
  expect(casts.length > (allowed[workspace] ?? 0) ? casts : []).toEqual([])
})

test('counts that have fallen are lowered: CASTS=write npx vitest run tests/code-measures.test.ts', () => {
  const fallen = [...byWorkspace].filter(([workspace, { length }]) => length < (allowed[workspace] ?? 0))
  expect(fallen.map(([workspace, { length }]) => `${workspace}: ${length}`)).toEqual([])
})

test('the table names workspaces that exist', () => {
  expect(Object.keys(allowed).filter((workspace) => !byWorkspace.has(workspace))).toEqual([])
})

test('at most 3 casts in 1,000 lines', () => {
  const casts = sum(SOURCES.map((source) => source.casts.length))
  expect((1000 * casts) / sum(SOURCES.map(({ lines }) => lines))).toBeLessThanOrEqual(3)
})

test('at least 85 % of the exported declarations have a doc comment', () => {
  const exported = SOURCES.flatMap(({ documented }) => documented)
  expect(exported.filter(Boolean).length / exported.length).toBeGreaterThanOrEqual(0.85)
})
