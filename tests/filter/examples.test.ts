import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDecisionSql, FilterError } from '@engine/filter'
import { readRuleFile } from '@engine/rule-file'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const USER = {
  id: 'u7',
  suspended: false,
  employment: 'staff',
  clearance: 2,
  department: 'legal',
  groups: ['board'],
}

const paths = readdirSync(EXAMPLES)
  .flatMap((name) => ['ruleset.json', 'ruleset.yaml'].map((file) => ({ name, path: join(EXAMPLES, name, file) })))
  .filter(({ path }) => existsSync(path))

function hasQuery(path: string): boolean {
  const read = readRuleFile(path, readFileSync(path))
  if ('reason' in read) throw new Error(`${path}: ${read.reason}`)
  const { ruleset } = decodeRuleset(read.document, { text: read.text })
  if (ruleset === undefined) throw new Error(path)
  try {
    return createDecisionSql(ruleset, { dialect: 'postgres', known_input: { user: USER } }, 0).sql !== ''
  } catch (error) {
    if (error instanceof FilterError) return false
    throw error
  }
}

test('three of the eleven examples have a query, as docs/filters.md states', () => {
  expect(paths).toHaveLength(11)
  expect(paths.filter(({ path }) => hasQuery(path)).map(({ name }) => name)).toEqual([
    'document-access',
    'flight-compensation',
    'income-tax-de',
  ])
})
