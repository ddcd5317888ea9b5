import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonPositions } from './positions.ts'

/** Scans in one piece. */
function positionsOf(text: string, paths: readonly string[]) {
  const search = jsonPositions(text, paths)
  for (;;) {
    const next = search.next()
    if (next.done === true) return next.value
  }
}

const TEXT = `{
  "config": { "name": "a\\"b{", "a/b~c": 1 },
  "list": [ 1, [true, {"x": null}],
    { "deep" : [] } ],
  "": { "": 0 },
  "esc\\u0061pe": "}]",
  "last": -1.5e3
}
`

/** The rest of the line at the position of a pointer. */
function lineAt(text: string, path: string): string | undefined {
  const place = positionsOf(text, [path])(path)
  return place && text.split('\n')[place.line - 1]?.slice(place.column - 1)
}

describe('positions of JSON pointers in a text', () => {
  it.each([
    ['', '{'],
    ['/config', '"config": { "name": "a\\"b{", "a/b~c": 1 },'],
    ['/config/name', '"name": "a\\"b{", "a/b~c": 1 },'],
    ['/config/a~1b~0c', '"a/b~c": 1 },'],
    ['/list', '"list": [ 1, [true, {"x": null}],'],
    ['/list/0', '1, [true, {"x": null}],'],
    ['/list/1', '[true, {"x": null}],'],
    ['/list/1/0', 'true, {"x": null}],'],
    ['/list/1/1', '{"x": null}],'],
    ['/list/1/1/x', '"x": null}],'],
    ['/list/2/deep', '"deep" : [] } ],'],
    ['/', '"": { "": 0 },'],
    ['//', '"": 0 },'],
    ['/escape', '"esc\\u0061pe": "}]",'],
    ['/last', '"last": -1.5e3'],
  ])('finds `%s`', (path, rest) => {
    expect(lineAt(TEXT, path)).toBe(rest)
  })

  it.each([
    ['/missing', '{'],
    ['/config/missing', '"config": { "name": "a\\"b{", "a/b~c": 1 },'],
    ['/list/1/7/x', '[true, {"x": null}],'],
    ['/last/inner', '"last": -1.5e3'],
  ])('gives the value around `%s`, which is missing', (path, rest) => {
    expect(lineAt(TEXT, path)).toBe(rest)
  })

  it('finds many in one pass', () => {
    const at = positionsOf(TEXT, ['/last', '/config/name', '/list/0', '/list'])
    expect(['/list', '/list/0', '/config/name', '/last'].map((path) => at(path)?.line)).toEqual([3, 3, 2, 7])
  })

  it('gives the first of repeated keys', () => {
    expect(positionsOf('{"a": 1,\n"a": 2}', ['/a'])('/a')).toEqual({ line: 1, column: 2 })
  })

  it.each(['', 'config:\n  name: "x"\n', '"a": 1', ']]}}', '{"a\\x": 1, "open'])(
    'does not fail on %j, which is not JSON',
    (text) => {
      expect(() => positionsOf(text, ['/config/name'])('/config/name')).not.toThrow()
    },
  )

  it.each([
    ['plain text', 'a'.repeat(10_000_000)],
    ['escapes', String.raw`\n`.repeat(5_000_000)],
  ])('takes ten megabytes of %s and nesting of 100,000', (_, long) => {
    const text = `{"steps": ${'['.repeat(100_000)}${']'.repeat(100_000)}, "x": "${long}", "last": 1}`
    expect(positionsOf(text, ['/last'])('/last')?.column).toBe(text.indexOf('"last"') + 1)
  })

  it('agrees with the parsed document everywhere', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(3), (document, indent) => {
        const written = JSON.stringify(document, undefined, indent)
        const all = [...pointers(document)]
        const at = positionsOf(
          written,
          all.map(([pointer]) => pointer),
        )
        for (const [pointer, begins] of all) {
          const { line = 0, column = 0 } = at(pointer) ?? {}
          const rest = written.split('\n')[line - 1]?.slice(column - 1) ?? ''
          expect(rest.startsWith(/^[[{]/.test(begins) ? begins.slice(0, 1) : begins)).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })
})

/** Each pointer with the text at its position: a member's key, or an item's value. */
function* pointers(value: unknown, at = '', key?: string): Generator<[pointer: string, begins: string]> {
  yield [at, JSON.stringify(key ?? value)]
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const inner = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    yield* pointers(member, inner, Array.isArray(value) ? undefined : name)
  }
}
