import type { DraftRuleset, Row } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { at, isFields, member } from '@engine/ruleset'
import type { Imported } from '../conversion-result.ts'
import { Losses } from '../losses.ts'
import { lostTest } from '../placeholder.ts'
import { conditionText, Reading } from './condition.ts'
import { type JsonRule, readRules, readShared } from './document.ts'

/** Codes of the terminals: at least one rule matches, or none. */
const CODES = { some: 'EVENTS', none: 'NO_EVENTS' } as const

/**
 * Rules of json-rules-engine: a rule, a list of rules, or `{rules, conditions}`. The rules become the rows of one
 * collecting table: the output `events` has the events `{type, params}` of all matching rules, highest priority first,
 * and those of equal priority in document order.
 */
export function fromJsonRulesEngine(document: Value, name = 'rules'): Imported {
  const losses = new Losses()
  const rules = readRules(document, losses)
  if (rules.length === 0) {
    if (losses.lost.length === 0) losses.error(undefined, { code: 'no-rules', message: 'there is no rule' })
    return { rulesets: [], lost: losses.lost }
  }
  const reading = new Reading(losses, readShared(document))
  const rows = rules.map((rule, index) => rowOf(rule, index, reading))
  return { rulesets: [{ name, ruleset: rulesetWith(name, rows) }], lost: losses.lost }
}

function rowOf(rule: JsonRule, index: number, reading: Reading): Row {
  const { name, conditions, place } = rule
  const condition = conditionText(reading, at(place, 'conditions'), conditions)
  const cells = {
    i1: condition === undefined ? lostTest(stringifyJson(conditions)) : `? ${condition}`,
    o1: eventText(rule, reading.losses),
  }
  return { id: `r${index + 1}`, cells, note: name }
}

/** The event as a constant: replacing facts in parameters is an option of json-rules-engine that is off by default. */
function eventText({ event, place }: JsonRule, losses: Losses): string {
  const params = member(event, 'params')
  if (isFields(params) && Object.values(params).some((value) => isFields(value) && 'fact' in value))
    losses.warn(at(at(place, 'event'), 'params'), {
      code: 'constant-params',
      message: 'facts in parameters are not replaced, as without `replaceFactsInEventParams`',
    })
  const type = member(event, 'type') ?? ''
  const hasParams = params !== undefined && params !== null && params !== false && params !== 0 && params !== ''
  return stringifyJson(hasParams ? { type, params } : { type })
}

function rulesetWith(name: string, rows: readonly Row[]): DraftRuleset {
  return {
    config: { name, version: '1.0.0' },
    startStepId: 'rules',
    steps: [
      {
        id: 'rules',
        name: 'Rules',
        type: 'table',
        hitPolicy: 'collect',
        columns: [
          { id: 'i1', kind: 'input', field: '$' },
          { id: 'o1', kind: 'output', field: 'events' },
        ],
        rows,
        nextStepId: 'has_events',
      },
      {
        id: 'has_events',
        name: 'Does a rule fit?',
        type: 'decision',
        branches: [{ id: 'b1', condition: 'len($events) > 0', nextStepId: 'events' }],
        defaultNextStepId: 'no_events',
      },
      {
        id: 'events',
        name: 'Events',
        type: 'terminal',
        code: CODES.some,
        output: [{ name: 'events', value: '$events' }],
      },
      {
        id: 'no_events',
        name: 'No events',
        type: 'terminal',
        code: CODES.none,
        output: [{ name: 'events', value: '$events' }],
      },
    ],
  }
}
