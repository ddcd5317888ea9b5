import { isNumber, NO_SPAN, type ObjectValue, type Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { negated, Solver, TRUE } from '../search/solver.ts'
import { type Kind, kindOf } from '../terms/term.ts'
import { acceptanceOf, hasKnownAcceptance } from './contract-acceptance.ts'
import { Encoder } from './encoder.ts'

function ruleset(field: ObjectValue, mode = 'enforce', more: ObjectValue = {}) {
  const contract = { name: 'c', version: '1.0.0', input: { fields: [{ name: 'n', ...field }] }, outputs: [], ...more }
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

const NUMBER = { type: 'number', required: true }
const ANY = { type: 'any', required: true }
const LINE = (type: string) => ({ concepts: [{ name: 'line', fields: [{ name: 'price', type }] }] })

test.each<[field: ObjectValue, value: Value | undefined, accepted: 'always' | 'never' | 'perhaps']>([
  [NUMBER, 3, 'always'],
  [NUMBER, 'x', 'never'],
  [{ type: 'number' }, null, 'always'],
  [{ type: 'number' }, undefined, 'always'],
  [{ ...NUMBER, minimum: 3 }, 2.5, 'never'],
  [{ ...NUMBER, minimum: 3 }, 3, 'always'],
  [{ ...NUMBER, maximum: 3 }, 3, 'always'],
  [{ ...NUMBER, maximum: 3 }, 3.5, 'never'],
  [{ type: 'number', minimum: 3 }, null, 'always'],
  [{ ...ANY, minimum: 3 }, 'x', 'always'],
  [{ ...ANY, maximum: 3 }, 'x', 'always'],
  [{ ...ANY, minimum: 3, maximum: 5 }, 6, 'never'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, 2, 'always'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, 3, 'never'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, 'a', 'always'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, 'b', 'never'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, true, 'always'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, false, 'never'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, null, 'always'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, [], 'always'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, [1], 'never'],
  [{ ...ANY, enum: [2, 'a', true, null, [], {}] }, {}, 'always'],
  [{ ...ANY, enum: [[1], { k: 1 }] }, [1], 'perhaps'],
  [{ ...ANY, enum: [[1], { k: 1 }] }, { k: 1 }, 'perhaps'],
  [{ ...ANY, enum: [[1]] }, {}, 'never'],
  [{ type: 'array<string>', required: true }, ['a'], 'perhaps'],
  [{ type: 'array<string>', required: true }, {}, 'never'],
  [{ type: 'concept:line', required: true }, { price: 1 }, 'perhaps'],
  [{ type: 'concept:line', required: true }, [], 'never'],
  [{ type: 'integer', required: true }, 3, 'perhaps'],
  [{ type: 'integer', required: true, minimum: 3 }, 2, 'never'],
  [{ type: 'decimal', required: true }, 3, 'perhaps'],
  [{ type: 'decimal', required: true, digits: 3 }, 3, 'perhaps'],
  [{ type: 'decimal', required: true, digits: 3, maximum: 2 }, 3, 'never'],
])('a contract with %j accepts %j %s', (field, value, accepted) => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const accepts = acceptanceOf(encoder, ruleset(field, 'enforce', LINE('number')))
  const term = encoder.field({ kind: 'field', path: [{ kind: 'name', name: 'n' }], span: NO_SPAN })
  const pins = [term.is(kindOf(value))]
  if (value !== undefined && isNumber(value)) pins.push(term.numbers.equals(value))
  if (typeof value === 'string') pins.push(term.texts.equals(value))
  const [can, canNot] = [accepts, negated(accepts)].map((one) => solver.solve([...pins, one], 10_000) === 'satisfiable')
  expect(can ? (canNot ? 'perhaps' : 'always') : 'never').toBe(accepted)
})

test.each<[one: ObjectValue, other: ObjectValue, isImplied: boolean, more?: ObjectValue, others?: ObjectValue]>([
  [{ type: 'array<string>' }, { type: 'array<string>' }, true],
  [{ type: 'array<string>' }, { type: 'array<number>' }, false],
  [{ type: 'array<string>', required: true }, { type: 'array<string>' }, true],
  [{ type: 'array<string>' }, { type: 'array<string>', required: true }, false],
  [{ type: 'array<string>' }, { type: 'array<string>', name: 'm' }, false],
  [{ type: 'decimal', digits: 5 }, { type: 'decimal', digits: 5 }, true],
  [{ type: 'decimal', digits: 5 }, { type: 'decimal', digits: 6 }, false],
  [{ type: 'decimal', digits: 5, decimals: 2 }, { type: 'decimal', digits: 5, decimals: 2 }, true],
  [{ type: 'decimal', digits: 5, decimals: 2 }, { type: 'decimal', digits: 5, decimals: 1 }, false],
  [{ type: 'decimal', digits: 5, minimum: 3 }, { type: 'decimal', digits: 5, minimum: 2 }, true],
  [{ type: 'decimal', digits: 5, minimum: 2 }, { type: 'decimal', digits: 5, minimum: 3 }, false],
  [{ type: 'integer' }, { type: 'integer' }, true],
  [{ type: 'integer' }, { type: 'number' }, true],
  [{ type: 'number' }, { type: 'integer' }, false],
  [{ type: 'any', enum: [[1]] }, { type: 'any', enum: [[1], 2] }, true],
  [{ type: 'any', enum: [[1]] }, { type: 'any', enum: [[2]] }, false],
  [{ type: 'any', enum: [[1]] }, { type: 'any', enum: [[1]], name: 'm' }, false],
  [{ type: 'any', enum: ['a'] }, { type: 'any', enum: ['a', 'b'] }, true],
  [{ type: 'any', enum: ['a', 'b'] }, { type: 'any', enum: ['a'] }, false],
  [{ type: 'concept:line' }, { type: 'concept:line' }, true, LINE('number'), LINE('number')],
  [{ type: 'concept:line' }, { type: 'concept:line' }, false, LINE('number'), LINE('string')],
  [{ type: 'array<concept:line>' }, { type: 'array<concept:line>' }, false, LINE('number'), LINE('string')],
  // A concept that only one of them has does not matter to other types.
  [{ type: 'number' }, { type: 'number' }, true, LINE('number'), LINE('string')],
])('what a contract with %j accepts, one with %j accepts too: %s', (one, other, isImplied, more, others) => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const [first, second] = [ruleset(one, 'enforce', more), ruleset(other, 'enforce', others)].map((each) =>
    acceptanceOf(encoder, each),
  )
  expect(solver.solve([first ?? 0, negated(second ?? 0)], 10_000)).toBe(isImplied ? 'unsatisfiable' : 'satisfiable')
})

test('a contract without fields accepts every input, and one of several fields those that all accept', () => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const fields = ['a', 'b'].map((name) => ({ name, type: 'number', required: true }))
  const contract = (given: readonly ObjectValue[]) =>
    acceptanceOf(encoder, ruleset({}, 'enforce', { input: { fields: [...given] } }))
  expect(contract([])).toBe(TRUE)
  expect(solver.solve([contract(fields), negated(contract(fields.slice(1)))], 10_000)).toBe('unsatisfiable')
  expect(solver.solve([contract(fields.slice(1)), negated(contract(fields))], 10_000)).toBe('satisfiable')
})
