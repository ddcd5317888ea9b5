import { NO_SPAN, type ObjectValue } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { negated, Solver } from '../search/solver.ts'
import type { Kind } from '../terms/term.ts'
import { acceptanceOf, hasKnownAcceptance } from './contract-acceptance.ts'
import { Encoder } from './encoder.ts'

function ruleset(field: ObjectValue, mode = 'enforce') {
  const contract = { name: 'c', version: '1.0.0', input: { fields: [{ name: 'n', ...field }] }, outputs: [] }
  const { ruleset: decoded, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'X', contract: { mode, contract } },
    steps: { X: { id: 'X', type: 'terminal', result: { code: 'X', message: '' } } },
  })
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

const EACH: readonly Kind[] = ['missing', 'null', 'true', 'number', 'text', 'list', 'object']

/** The kinds of the field that are accepted whatever the value is, and those of which some values may be. */
function kindsOf(field: ObjectValue, mode?: string) {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const accepted = acceptanceOf(encoder, ruleset(field, mode))
  const term = encoder.field({ kind: 'field', path: [{ kind: 'name', name: 'n' }], span: NO_SPAN })
  const can = (literal: number, kind: Kind) => solver.solve([literal, term.is(kind)], 10_000) === 'satisfiable'
  return {
    all: EACH.filter((kind) => can(accepted, kind) && !can(negated(accepted), kind)),
    some: EACH.filter((kind) => can(accepted, kind) && can(negated(accepted), kind)),
  }
}

test.each<[field: ObjectValue, all: readonly Kind[], some: readonly Kind[]]>([
  [{ type: 'string', required: true }, ['text'], []],
  [{ type: 'number', required: true }, ['number'], []],
  [{ type: 'boolean', required: true }, ['true'], []],
  [{ type: 'object', required: true }, ['object'], []],
  [{ type: 'any', required: true }, ['null', 'true', 'number', 'text', 'list', 'object'], []],
  [{ type: 'integer', required: true }, [], ['number']],
  [{ type: 'string' }, ['missing', 'null', 'text'], []],
  [{ type: 'number', required: true, minimum: 3 }, [], ['number']],
  [{ type: 'number', required: true, maximum: 3 }, [], ['number']],
  [{ type: 'number', required: true, minimum: 4, maximum: 3 }, [], []],
  [{ type: 'string', required: true, enum: ['a'] }, [], ['text']],
])('a contract with %j accepts %j, and some of %j', (field, all, some) => {
  expect(kindsOf(field)).toEqual({ all, some })
  expect(kindsOf(field, 'warn')).toEqual({ all: EACH, some: [] })
})

test.each<[field: ObjectValue, isKnown: boolean]>([
  [{ type: 'number' }, true],
  [{ type: 'number', default: 3 }, false],
])('whether it can be expressed what a contract with %j accepts: %s', (field, isKnown) => {
  expect(hasKnownAcceptance(ruleset(field))).toBe(isKnown)
  expect(hasKnownAcceptance(ruleset(field, 'warn'))).toBe(true)
})
