import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FUNCTIONS } from '@engine/expression'
import { expect, test } from 'vitest'

const packages = join(import.meta.dirname, '..', 'packages')

/** Functions whose definition declares a special handling of arguments or results. */
const special = [...FUNCTIONS.values()]
  .filter(({ argument, lazy, tests, volatile, guarded }) => argument ?? lazy ?? tests ?? volatile ?? guarded)
  .map(({ name }) => name)

const sources = ['expression', 'ruleset', 'filter'].flatMap((name) =>
  readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(?:test|testing)\.ts$/.test(path))
    .map((path) => join(name, 'src', path))
    .filter((path) => !path.startsWith(join('expression', 'src', 'functions'))),
)

/** Where the same word is a node of the JSON form of filters. */
const OTHER_MEANING = [join('filter', 'src', 'json.ts')]

test('no file asks for a function by name: its definition says how it is treated', () => {
  expect(special).toContain('exists')
  expect(sources.length).toBeGreaterThan(80)
  const literal = new RegExp(`'(?:${special.join('|')})'`)
  const found = sources.filter((path) => literal.test(readFileSync(join(packages, path), 'utf8')))
  expect(found).toEqual(OTHER_MEANING)
})
