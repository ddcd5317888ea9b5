import { stripTypeScriptTypes } from 'node:module'
import { runInThisContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import { mutationsOf } from './mutations.ts'
import { withSwitches } from './switches.ts'

declare global {
  var isMutantOn: ((id: number) => boolean) | undefined
}

afterEach(() => {
  globalThis.isMutantOn = undefined
})

const numbered = (source: string) => mutationsOf('a.ts', source).map((mutation, id) => ({ id, mutation }))

/** Call the function `f` of a source. */
function run(source: string): unknown {
  const script = stripTypeScriptTypes(source)
  return runInThisContext(`(() => { ${script}\ntry { return f() } catch (error) { return String(error) } })()`)
}

/** Bodies of a function whose results show each of their mistakes. */
test.each([
  ['return 3 < 4'],
  ['return 1 + 2 * 3 - 4'],
  ['return true && !false || 1 === 1'],
  ['const a = undefined as number | undefined; return a ?? 5'],
  ['const a = { b: [1, 2] } as { b?: number[] }; return a.b?.some((one) => one > 1)'],
  ['const a = {} as { b?: { c: number[] } }; return a.b?.c.find((one) => one > 1)?.toString()'],
  ['const a = [0]\n  a.push(1)\n  a[0] === 0 && a.push(2)\n  return a'],
  ['const a = [1]; if (a.length > 1) { a.push(3) } else { a.push(4) } return a'],
  ['const a = [1]; for (const one of [1, 2]) a.push(one)\n  return a'],
  ['const { a = 5, b } = { b: 7 } as { a?: number; b: number }; return [...[a], b]'],
  ["const a = 'x' as const; switch (a as string) { case 'x': return 1; default: return 2 }"],
  ['const a = [4, 5]; return a.at(-1)'],
  ['return `${1 + 1}`.startsWith(`2`)'],
])('with one switch on, `%s` does what the mistake does; with none, what it did', (body) => {
  const source = `function f() { ${body} }`
  const mutations = numbered(source)
  const { text, unplanted } = withSwitches('a.ts', source, mutations)
  expect(unplanted).toEqual(new Set())
  expect(run(text)).toEqual(run(source))
  for (const { id, mutation } of mutations) {
    globalThis.isMutantOn = (asked) => asked === id
    const mutated = source.slice(0, mutation.start) + mutation.replacement + source.slice(mutation.end)
    expect([mutation.kind, run(text)]).toEqual([mutation.kind, run(mutated)])
  }
})

test('lines keep their numbers', () => {
  const source = 'const a = 1\n\nconst b = () => {\n  c()\n}\nconst c = () => a + 1\n'
  const { text } = withSwitches('a.ts', source, numbered(source))
  expect(text.split('\n').findIndex((line) => line.startsWith('const c'))).toBe(5)
})

test.each([
  ['const a = b ?? c', 'malformed', []],
  ['const a = (b ?? c) || d', 'malformed', []],
  ['const a = b ?? c ?? d', 'malformed', [1]],
  ["export { a } from 'b'", 'unplanted', [0]],
] as const)('%s has the %s mistakes %j', (source, kind, ids) => {
  expect([...withSwitches('a.ts', source, numbered(source))[kind]]).toEqual(ids)
})

test('the value of an attribute is switched in braces', () => {
  const source = 'const a = <b c="d" />'
  const mutations = mutationsOf('a.tsx', source).map((mutation, id) => ({ id, mutation }))
  expect(withSwitches('a.tsx', source, mutations).text).toContain(`c={(isMutantOn(0) ? ('') : ("d"))}`)
})
