import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * Programs start from their sources where these differ from the bundles, and then Node strips the types. The compiler and the
 * bundler accept more than Node does, such as `for (const of of list)`, so that only a start from sources would notice.
 */
const root = join(import.meta.dirname, '..')

function sourcesOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.d)\.ts$/.test(file) && !file.split(sep).includes('node_modules'))
    .map((file) => join(folder, file))
}

/** Why Node cannot run a source; undefined: it can. */
function stripFault(source: string): string | undefined {
  try {
    stripTypeScriptTypes(source)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe.each(['apps', 'packages', 'bench', 'build', 'tests', 'examples'])(
  'Node strips the types of all sources in %s',
  (folder) => {
    const sources = sourcesOf(folder)

    test('which are found', () => {
      expect(sources).not.toEqual([])
    })

    test('without a fault', () => {
      const faults = sources.flatMap((path) => {
        const fault = stripFault(readFileSync(join(root, path), 'utf8'))
        return fault === undefined ? [] : [`${path}: ${fault}`]
      })
      expect(faults).toEqual([])
    })
  },
)

test.each([
  ['a loop variable that is called `of`', 'for (const of of [1] as number[]) console.log(of)'],
  ['an enum', 'enum Colour { Red }'],
  ['a parameter property', 'class A { constructor(readonly a: number) {} }'],
  ['a namespace', 'namespace A { export const a = 1 }'],
])('%s is noticed', (_what, source) => {
  expect(stripFault(source)).toBeTypeOf('string')
})
