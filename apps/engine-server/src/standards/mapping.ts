import type { Value } from '@engine/expression'
import { type Decision, refuseName } from '@engine/ruleset'
import { FileFields, within } from './file-fields.ts'

/** Parts of a decision that an answer may contain. */
const CONTEXT_PARTS = ['code', 'reason', 'output'] as const
export type ContextPart = (typeof CONTEXT_PARTS)[number]

/** The mapping of subjects, actions and resources to the rulesets that decide (docs/authzen.md). */
export interface Mapping {
  /** Address of the server for its clients, without a trailing slash; undefined if there is no discovery document. */
  readonly base: string | undefined
  readonly rules: readonly MappingRule[]
  /** Path of the entities file, as written. */
  readonly entities: string | undefined
  /**
   * Searches about a subject that is missing in `entities`: `deny` finds nothing, `rules` lets the ruleset decide.
   * Undefined: `deny` for types that have entities.
   */
  readonly unknownSubject: 'deny' | 'rules' | undefined
  readonly maxEvaluations: number
  readonly maxCandidates: number
  readonly context: ReadonlySet<ContextPart>
}

/** One rule of a mapping. */
export interface MappingRule {
  /** Undefined: any subject. */
  readonly subjects: ReadonlySet<string> | undefined
  readonly actions: ReadonlySet<string> | undefined
  readonly resources: ReadonlySet<string> | undefined
  readonly ruleset: string
  /** Codes that permit; any other code denies. */
  readonly permit: ReadonlySet<string>
  /** Candidates of an action search; empty if the rule takes part in none. */
  readonly candidates: readonly string[]
  /** Cached answers for decisions that are one object for all executions. */
  readonly texts: WeakMap<Decision, string>
}

const MEMBERS = [
  '$schema',
  'base',
  'rules',
  'entities',
  'unknown_subject',
  'max_evaluations',
  'max_candidates',
  'context',
] as const
const RULE_MEMBERS = ['subject', 'action', 'resource', 'ruleset', 'permit', 'actions'] as const

/** Decodes a mapping. Throws a `ConfigurationFileError` that names every fault. */
export function decodeMapping(document: Value): Mapping {
  const fields = new FileFields()
  const file = fields.members(document, '', MEMBERS)
  const context = file.context === undefined ? ['code', 'reason'] : contextOf(fields, file.context)
  const mapping: Mapping = {
    base: baseOf(fields, fields.text(file.base, 'base')),
    rules: fields.items(file.rules, 'rules').map((rule, index) => ruleOf(fields, rule, `rules[${index}]`)),
    entities: fields.text(file.entities, 'entities'),
    unknownSubject: fields.word(file.unknown_subject, 'unknown_subject', ['deny', 'rules']),
    maxEvaluations: fields.integer(file.max_evaluations, 'max_evaluations', 1, 100_000, 1000),
    maxCandidates: fields.integer(file.max_candidates, 'max_candidates', 1, 10_000_000, 100_000),
    context: new Set(CONTEXT_PARTS.filter((part) => context.includes(part))),
  }
  fields.refuseFaults()
  return mapping
}

/** An empty list is allowed: the answer is then the decision alone. */
function contextOf(fields: FileFields, value: Value): readonly string[] {
  if (Array.isArray(value) && value.length === 0) return []
  const parts = fields.texts(value, 'context') ?? []
  for (const [index, part] of parts.entries()) fields.word(part, `context[${index}]`, CONTEXT_PARTS)
  return parts
}

function baseOf(fields: FileFields, base: string | undefined): string | undefined {
  if (base === undefined) return undefined
  const url = URL.parse(base)
  if (url?.protocol !== 'https:' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    fields.fault('base', 'must be an address such as `https://pdp.example.com`, without query, fragment and user')
  return base.replace(/\/+$/, '')
}

function ruleOf(fields: FileFields, value: Value, place: string): MappingRule {
  const rule = fields.members(value, place, RULE_MEMBERS)
  const ruleset = fields.requiredText(rule.ruleset, within(place, 'ruleset'))
  const refusal = ruleset === '' ? undefined : refuseName(ruleset)
  if (refusal !== undefined) fields.fault(within(place, 'ruleset'), `is no name of a ruleset: ${refusal}`)
  if (rule.permit === undefined) fields.fault(within(place, 'permit'), 'is missing: the result codes that permit')
  return {
    subjects: patternOf(fields, rule.subject, within(place, 'subject')),
    actions: patternOf(fields, rule.action, within(place, 'action')),
    resources: patternOf(fields, rule.resource, within(place, 'resource')),
    ruleset,
    permit: new Set(fields.texts(rule.permit, within(place, 'permit'))),
    candidates: fields.texts(rule.actions, within(place, 'actions')) ?? [],
    texts: new WeakMap(),
  }
}

/** A text, a list of texts, or `*` for any. */
function patternOf(fields: FileFields, value: Value | undefined, place: string): ReadonlySet<string> | undefined {
  if (value === undefined || value === '*') return undefined
  if (Array.isArray(value)) return new Set(fields.texts(value as Value, place))
  const text = fields.text(value, place)
  return text === undefined ? undefined : new Set([text])
}

/** The first rule that matches; undefined if none does. Linear in the rules, at most 1,000. */
export function ruleFor(
  { rules }: Mapping,
  subjectType: string,
  actionName: string,
  resourceType: string,
): MappingRule | undefined {
  return rules.find(
    ({ subjects, actions, resources }) =>
      (resources === undefined || resources.has(resourceType)) &&
      (actions === undefined || actions.has(actionName)) &&
      (subjects === undefined || subjects.has(subjectType)),
  )
}
