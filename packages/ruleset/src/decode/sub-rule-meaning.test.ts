import { stringifyJson, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost } from '../host.testing.ts'
import { ExecutionError, type Program } from '../program.ts'
import { chance, pick, seededRandom } from '../random.testing.ts'
import { randomRuleset, randomRulesetInput } from '../ruleset.testing.ts'

type Json = { readonly [key: string]: Value }

const FIELDS = ['a', 'b', 'age', 'country', 'user', 'order', 'items', 'weird key', 'größe']
const VARIABLES = ['x', 'y', 'total', 'größe', '__proto__', 'constructor']
const CASES = casesOf(2000)

/**
 * A sub-rule decides like a called ruleset with the same steps and the bindings as input: an independent implementation
 * of the same semantics, since calls are not inlined.
 */
test(`${CASES} random sub-rules do what a called ruleset of their steps does`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  const seen = { decisions: 0, errors: 0 }
  for (let count = 0; count < CASES; count++) {
    const document = randomRuleset(random, { fieldMissing: 'lenient', loops: false, mostSteps: 6 })
    const { steps, config, sub_rules: nested = {} } = document as { steps: Json; config: Json; sub_rules?: Json }
    const bindings = FIELDS.map((field): [string, Value] => {
      const path = field === 'weird key' ? '$["weird key"]' : field
      return [field, chance(random, 0.7) ? path : `coalesce(${path}, ${pick(random, ['1', '"DE"', '{}'])})`]
    })
    const entry = config['entry_step'] ?? ''
    const child = { name: 'child', entry_step: entry }
    const inlined = programOf({
      config: { name: 'r', entry_step: 'use' },
      steps: {
        use: {
          id: 'use',
          type: 'sub_rule',
          ref_name: 'child',
          bindings,
          outputs: VARIABLES.map((name) => [name, name]),
          next_step: 'end',
        },
        end: ending((name) => `$${name}`),
      },
      sub_rules: { ...nested, child: { entry_step: entry, steps } },
    })
    const called = programOf(
      {
        config: { name: 'r', entry_step: 'call' },
        steps: {
          call: {
            id: 'call',
            type: 'action',
            actions: [
              {
                action: 'call_ruleset',
                ruleset_name: 'child',
                input_mapping: `{${bindings.map(([field, value]) => `${JSON.stringify(field)}: ${value as string}`).join(', ')}}`,
                result_variable: 'r',
              },
            ],
            next_step: 'end',
          },
          end: ending((name) => `$r.output.${name}`),
        },
      },
      programOf({ config: child, steps: withVariables(steps), sub_rules: nested }),
    )
    for (let round = 0; round < 3; round++) {
      const input = {
        ...Object.fromEntries(FIELDS.map((field) => [field, null])),
        ...randomRulesetInput(random, document),
      }
      const [ours, theirs] = [outcome(inlined, input), outcome(called, input)]
      if (ours !== theirs) throw new Error(stringifyJson({ ours, theirs, input, document, bindings }))
      seen[ours === 'error' ? 'errors' : 'decisions']++
    }
  }
  expect(Math.min(seen.decisions, seen.errors)).toBeGreaterThan(CASES / 10)
}, 600_000)

function programOf(document: Json, called?: Program): Program {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(`${stringifyJson(document)} ${JSON.stringify(problems)}`)
  return createProgram(ruleset, testHost({ rulesets: { resolve: () => called, generation: 0 } }))
}

function ending(value: (name: string) => string): Json {
  const output = VARIABLES.map((name) => [name, value(name)])
  return { id: 'end', type: 'terminal', result: { code: 'END', message: '', output } }
}

/** The same steps with terminals that output all variables. */
function withVariables(steps: Json): Json {
  return Object.fromEntries(
    Object.entries(steps).map(([id, step]) => [
      id,
      (step as Json)['type'] === 'terminal' ? { ...ending((name) => `$${name}`), id } : step,
    ]),
  )
}

function outcome(program: Program, input: Json): string {
  try {
    return stringifyJson((program.decide(input) as { output: Value }).output)
  } catch (error) {
    if (error instanceof ExecutionError) return 'error'
    throw error
  }
}
