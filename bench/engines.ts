import { makeFunction } from '@engine/expression'
import { createProgram, decodeRuleset, type Host, type RulesetDocument } from '@engine/ruleset'
import { ZenEngine } from '@gorules/zen-engine'
import { LogicEngine } from 'json-logic-engine'
import { Engine } from 'json-rules-engine'
import type { Condition, DecisionCase } from './decisions.ts'

/** Gives the code of a decision. */
export type Decide = (input: object) => string | Promise<string>

const HOST: Host = {
  rulesets: { resolve: () => undefined, generation: 0 },
  capabilities: { get: () => undefined },
  log: () => undefined,
  metric: () => undefined,
  callFailed: () => undefined,
  monotonic: () => performance.now(),
  now: () => Date.now(),
  makeFunction,
  limit: () => ({ signal: new AbortController().signal, dispose: () => undefined }),
  pause: undefined,
}

/** A program of ours. Throws on a document that is none. */
export function program(document: RulesetDocument) {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems.slice(0, 3)))
  return createProgram(ruleset, HOST)
}

export function terminal(code: string) {
  return { id: code, type: 'terminal', result: { code, message: code, level: code.length } }
}

/** The decision as a ruleset. */
export function rulesetOf(decision: DecisionCase, name: string): RulesetDocument {
  const text = ({ when }: DecisionCase['branches'][number]) =>
    when.map(([path, operator, value]) => `${path} ${operator} ${JSON.stringify(value)}`).join(' && ')
  const decisions =
    decision.steps === 'one'
      ? [
          {
            id: 'd0',
            type: 'decision',
            branches: decision.branches.map((branch) => ({ condition: text(branch), next_step: branch.code })),
            default_next: decision.otherwise,
          },
        ]
      : decision.branches.map((branch, index) => ({
          id: `d${index}`,
          type: 'decision',
          branches: [{ condition: text(branch), next_step: branch.code }],
          default_next: index + 1 < decision.branches.length ? `d${index + 1}` : decision.otherwise,
        }))
  const terminals = [...decision.branches.map(({ code }) => code), decision.otherwise].map(terminal)
  const steps = Object.fromEntries([...decisions, ...terminals].map((step) => [step.id, step]))
  return { config: { name, version: '1.0.0', entry_step: 'd0' }, steps }
}

export function ours(decision: DecisionCase): (input: object) => { code: string } {
  const running = program(rulesetOf(decision, 'bench'))
  return (input) => running.decide(input as RulesetDocument) as { code: string }
}

/** A hand-written equivalent: `if`s with property reads, and an object literal for the result. */
export function byHand({ branches, otherwise }: DecisionCase): (input: object) => { code: string } {
  const literal = (code: string) => `{ code: '${code}', message: '${code}', output: { level: ${code.length} } }`
  const lines = branches.map(({ when, code }) => `if (${when.map(javaScript).join(' && ')}) return ${literal(code)}`)
  return makeFunction(['input'], `${lines.join('\n')}\nreturn ${literal(otherwise)}`) as (input: object) => {
    code: string
  }
}

function javaScript([path, operator, value]: Condition): string {
  const read = `input.${path}`
  if (operator === 'in') return `(${(value as readonly string[]).map((item) => `${read} === '${item}'`).join(' || ')})`
  return `${read} ${operator === '==' ? '===' : operator} ${JSON.stringify(value)}`
}

export function jsonLogic({ branches, otherwise }: DecisionCase): Decide {
  const one = ([path, operator, value]: Condition) => ({
    [operator === '==' ? '===' : operator]: [{ var: path }, value],
  })
  const logic = { if: [...branches.flatMap(({ when, code }) => [{ and: when.map(one) }, code]), otherwise] }
  return new LogicEngine().build(logic) as Decide
}

export function jsonRules({ branches, otherwise }: DecisionCase): Decide {
  const engine = new Engine([], { allowUndefinedFacts: true })
  const names = { '==': 'equal', '>=': 'greaterThanInclusive', '<': 'lessThan', in: 'in' } as const
  for (const [index, { when, code }] of branches.entries()) {
    const all = when.map(([path, operator, value]) => {
      const [fact = '', ...rest] = path.split('.')
      return { fact, path: `$.${rest.join('.')}`, operator: names[operator], value }
    })
    engine.addRule({
      conditions: { all },
      event: { type: code },
      priority: branches.length - index,
      onSuccess: () => engine.stop(),
    })
  }
  return async (input) => (await engine.run(input as Record<string, unknown>)).events[0]?.type ?? otherwise
}

export function zen({ branches, otherwise }: DecisionCase): Decide {
  const fields = [...new Set(branches.flatMap(({ when }) => when.map(([path]) => path)))]
  const cell = (when: readonly Condition[], field: string) =>
    when
      .filter(([path]) => path === field)
      .map(([, operator, value]) =>
        operator === '==' || operator === 'in' ? JSON.stringify(value) : `${operator} ${JSON.stringify(value)}`,
      )
      .join(' and ')
  const rules = [...branches, { when: [], code: otherwise }].map(({ when, code }, index) => ({
    _id: `r${index}`,
    ...Object.fromEntries(fields.map((field, column) => [`i${column}`, cell(when, field)])),
    o: JSON.stringify(code),
  }))
  const content = {
    nodes: [
      { id: 'in', name: 'in', type: 'inputNode', content: {} },
      {
        id: 'table',
        name: 'table',
        type: 'decisionTableNode',
        content: {
          hitPolicy: 'first',
          inputs: fields.map((field, column) => ({ id: `i${column}`, name: field, field })),
          outputs: [{ id: 'o', name: 'code', field: 'code' }],
          rules,
        },
      },
      { id: 'out', name: 'out', type: 'outputNode', content: {} },
    ],
    edges: [
      { id: 'e1', sourceId: 'in', targetId: 'table', type: 'edge' },
      { id: 'e2', sourceId: 'table', targetId: 'out', type: 'edge' },
    ],
  }
  const decision = new ZenEngine().createDecision(Buffer.from(JSON.stringify(content)))
  return async (input) => ((await decision.evaluate(input)).result as { code: string }).code
}
