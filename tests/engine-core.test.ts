import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { rolldown } from 'rolldown'
import { afterAll, expect, test } from 'vitest'

/** Bytes, with gzip, of a page's bundle that decides without patterns, networks, hashes, versions and times. */
const MAX_CORE = 60_000

const folder = mkdtempSync(join(tmpdir(), 'engine-core-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SOURCES = join(import.meta.dirname, '../packages/engine/src')

/** The code of a program for browsers, whose imports are those of a file in `SOURCES`. */
type Bundle = (program: string) => Promise<string>

/** The bundler of vite. */
async function byRolldown(program: string): Promise<string> {
  const source = join(SOURCES, 'page.js')
  const entry = {
    name: 'entry',
    resolveId: (id: string) => (id === source ? id : undefined),
    load: (id: string) => (id === source ? program : undefined),
  }
  const bundle = await rolldown({ input: source, platform: 'browser', plugins: [entry] })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  return output[0].code
}

async function byEsbuild(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: SOURCES },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** A bundled program in its own process: this one has all functions already. */
async function bundled(
  name: string,
  program: string,
  bundle: Bundle = byRolldown,
): Promise<{ readonly bytes: number; readonly printed: string }> {
  const code = await bundle(program)
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, code)
  return {
    bytes: gzipSync(code, { level: 9 }).length,
    printed: execFileSync(process.execPath, [file], { encoding: 'utf8' }),
  }
}

const RULESET = (condition: string) => `{
  config: { name: 'check', entry_step: 'first' },
  steps: {
    first: { id: 'first', type: 'decision', branches: [{ condition: '${condition}', next_step: 'yes' }], default_next: 'no' },
    yes: { id: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
    no: { id: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
  },
}`

test.each([
  ['rolldown', byRolldown],
  ['esbuild', byEsbuild],
])(
  `by %s the core takes at most ${MAX_CORE} bytes, decides, and names the group of a function that it lacks`,
  async (bundler, bundle) => {
    const { bytes, printed } = await bundled(
      `core-page-${bundler}`,
      `import { createEngine } from './core.ts'
const engine = createEngine({ rulesets: [${RULESET('upper(a) == "X" && round(b, 1) > 0.1')}] })
console.log(engine.decideSync('check', { a: 'x', b: 0.3 }).code)
for (const condition of ['matches(a, "x")', 'md5(a) == "x"', 'cidr_contains(a, b)', 'semver_is_valid(a)', 'year(a) > 1'])
  console.log(engine.problems({ ...${RULESET('true')}, steps: { ...${RULESET('true')}.steps,
    first: { id: 'first', type: 'decision', branches: [{ condition, next_step: 'yes' }], default_next: 'no' } } })[0].message)
`,
      bundle,
    )
    expect(printed.split('\n')).toEqual([
      'YES',
      ...['matches', 'md5', 'cidr_contains', 'semver_is_valid', 'year'].map((name, index) =>
        expect.stringContaining(
          `\`${name}\` is one of the functions \`${['regex', 'hash', 'network', 'semver', 'time'][index]}\`, which are not loaded here`,
        ),
      ),
      '',
    ])
    expect(bytes).toBeGreaterThan(MAX_CORE / 2)
    expect(bytes).toBeLessThanOrEqual(MAX_CORE)
  },
)

test('the core with one group and the compiler', async () => {
  const { printed } = await bundled(
    'chosen-page',
    `import { createEngine } from './core.ts'
import { compiler } from './compiler.ts'
import { regex } from './functions.ts'
const engine = createEngine({ rulesets: [${RULESET('matches(a, "^x+$")')}], functions: [regex], compiler })
console.log(engine.decideSync('check', { a: 'xx' }).code, engine.decideSync('check', { a: 'y' }).code)
console.log(engine.problems(${RULESET('md5(a) == a')}).length)
`,
  )
  expect(printed).toBe('YES NO\n1\n')
})

test.each(['expression', 'ruleset'])('the entry of `%s` has the whole language in a bundle', async (name) => {
  const { printed } = await bundled(
    `all-${name}`,
    `import { inferType, parse } from '@engine/expression/core'
import * as entry from '@engine/${name}'
if (Object.keys(entry).length === 0) throw new Error('empty')
const parsed = parse('md5(a) == b && matches(a, b) && year(c) > 1 && semver_is_valid(a) && cidr_contains(a, b)')
import { check } from '@engine/expression/core'
console.log(inferType(parsed.expression), check(parsed.expression).length)
`,
  )
  expect(printed).toMatch(/^\d+ 0\n$/)
})
