import { isDecimal, isList, type Value } from '@engine/expression'
import { at, described, type Fields, isFields, member } from '@engine/ruleset'
import { messages, type Problem, Report } from '../problem.ts'
import { anything, type Decode, flag, listOf, mapOf, number, object, oneOf, record, renamed, text } from '../shape.ts'
import { expressionText } from './expression-form.ts'
import {
  INTENDED_FINDINGS,
  type ActionStep,
  type Assignment,
  type Column,
  type DecisionStep,
  type DraftBranch,
  type DraftCall,
  type DraftConfig,
  type DraftGraph,
  type DraftRuleset,
  type DraftStep,
  type IntendedFinding,
  type Row,
  type Sample,
  type SubRuleStep,
  type TableStep,
  type TerminalStep,
} from './model.ts'

/** A draft exactly when its shape is valid; it may still have errors that `validateDraft` finds. */
export interface DecodedDraft {
  readonly draft?: DraftRuleset
  readonly problems: readonly Problem[]
}

/**
 * Reads the JSON of a draft. Unknown members are kept, the editor's expression objects become text, and branches and
 * rows without an id get one. Linear in the size of the document.
 */
export function decodeDraft(document: Value): DecodedDraft {
  const report = new Report()
  const draft = ruleset(report, undefined, document)
  return draft === undefined ? { problems: report.problems } : { draft, problems: report.problems }
}

/** Whether a document is a draft: the editor lists steps, engines name them. */
export function isDraft(document: Value): boolean {
  return isFields(document) && isList(member(document, 'steps') ?? null)
}

/** Reads the steps of a sub-rule, like `decodeDraft` for a ruleset. */
export function decodeGraph(document: Value): { readonly graph?: DraftGraph; readonly problems: readonly Problem[] } {
  const report = new Report()
  const found = graph(report, undefined, document)
  return found === undefined ? { problems: report.problems } : { graph: found, problems: report.problems }
}

/** A list whose items get an id if they have none. */
function identified<Item>(prefix: string, item: Decode<Item>): Decode<readonly Item[]> {
  const items = listOf(item)
  return (report, place, value) => {
    if (!isList(value)) return items(report, place, value)
    const taken = new Set(value.map((given) => (isFields(given) ? member(given, 'id') : undefined)))
    const fresh = (index: number) => {
      let id = `${prefix}${index + 1}`
      while (taken.has(id)) id += '_'
      taken.add(id)
      return id
    }
    const named = value.map((given, index) =>
      isFields(given) && (member(given, 'id') ?? null) === null ? { ...given, id: fresh(index) } : given,
    )
    return items(report, place, named)
  }
}

/** An optional list. */
function optional<Item extends object>(key: keyof Item & string, decode: Decode<Item>): Decode<Item> {
  return (report, place, value) =>
    decode(report, place, isFields(value) && (member(value, key) ?? null) === null ? { ...value, [key]: [] } : value)
}

const ANY_STEP = { id: text, name: text }

const assignment = record<Assignment>([], { name: text, value: expressionText })

const decision = optional(
  'branches',
  record<DecisionStep>(['id', 'branches'], {
    ...ANY_STEP,
    type: oneOf('decision'),
    branches: identified(
      'b',
      record<DraftBranch>(['id'], { id: text, label: text, condition: expressionText, nextStepId: text }),
    ),
    defaultNextStepId: text,
  }),
)

const call = record<DraftCall>(['type'], {
  type: oneOf('http', 'function', 'grpc'),
  target: text,
  params: mapOf(expressionText),
  resultVariable: text,
  timeout: number,
})

const action = optional(
  'assignments',
  record<ActionStep>(['id', 'assignments'], {
    ...ANY_STEP,
    type: oneOf('action'),
    assignments: listOf(assignment),
    externalCalls: listOf(call),
    logging: record<NonNullable<ActionStep['logging']>>([], { message: expressionText, level: text }),
    nextStepId: text,
  }),
)

const terminal = record<TerminalStep>(['id'], {
  ...ANY_STEP,
  type: oneOf('terminal'),
  code: text,
  message: expressionText,
  output: listOf(assignment),
})

const binding = renamed(
  { name: 'field', value: 'expr' },
  record<SubRuleStep['bindings'][number]>([], { field: text, expr: expressionText }),
)
const output = renamed(
  { name: 'childVar', to: 'parentVar' },
  record<SubRuleStep['outputs'][number]>([], { parentVar: text, childVar: text }),
)

const subRule = optional(
  'bindings',
  optional(
    'outputs',
    record<SubRuleStep>(['id'], {
      ...ANY_STEP,
      type: oneOf('sub_rule'),
      refName: text,
      bindings: listOf(binding),
      outputs: listOf(output),
      nextStepId: text,
    }),
  ),
)

/** A cell: text, or a number, boolean or null as its literal. */
const cell: Decode<string> = (report, place, value) =>
  value === null
    ? ''
    : typeof value === 'object' && !isDecimal(value)
      ? text(report, place, value)
      : expressionText(report, place, value)

const table = record<TableStep>(['id', 'hitPolicy', 'columns', 'rows'], {
  ...ANY_STEP,
  type: oneOf('table'),
  hitPolicy: oneOf('first', 'unique', 'collect'),
  aggregate: oneOf('sum', 'min', 'max', 'count'),
  columns: listOf(
    record<Column>(['id', 'kind'], {
      id: text,
      kind: oneOf('input', 'output'),
      field: text,
      type: text,
      label: text,
      unit: text,
      width: number,
    }),
  ),
  rows: identified(
    'r',
    record<Row>(['id', 'cells'], { id: text, cells: mapOf(cell), nextStepId: text, disabled: flag, note: text }),
  ),
  nextStepId: text,
  defaultNextStepId: text,
})

const STEPS: { readonly [Type in DraftStep['type']]: Decode<DraftStep> } = {
  decision,
  action,
  terminal,
  sub_rule: subRule,
  table,
}
const stepType = oneOf('decision', 'action', 'terminal', 'sub_rule', 'table')

const step: Decode<DraftStep> = (report, place, value) => {
  const fields: Fields | undefined = isFields(value) ? value : undefined
  if (fields === undefined) return report.error(place, messages.wrongType('a step object', described(value)))
  const id = member(fields, 'id')
  report.stepId = typeof id === 'string' ? id : undefined
  const given = member(fields, 'type')
  const type =
    given === undefined
      ? report.error(at(place, 'type'), messages.missing('type', 'the type of the step'))
      : stepType(report, at(place, 'type'), given)
  const decoded = type && STEPS[type](report, place, fields)
  report.stepId = undefined
  return decoded
}

const OLDER_GRAPH = { entryStep: 'startStepId' }

const graph = renamed(OLDER_GRAPH, record<DraftGraph>(['steps'], { startStepId: text, steps: listOf(step) }))

/** A text with more than white space. */
const written: Decode<string> = (report, place, value) => {
  const given = text(report, place, value)
  return given?.trim() === '' ? report.error(place, messages.wrongType('a text', 'a blank one')) : given
}

const intended = record<IntendedFinding>(['finding', 'place', 'reason'], {
  finding: oneOf(...INTENDED_FINDINGS),
  place: text,
  reason: written,
  author: text,
  at: text,
})

const config = record<DraftConfig>(['name'], {
  name: text,
  version: text,
  description: text,
  enableTrace: flag,
  contract: text,
  timeout: number,
  maxDepth: number,
  fieldMissing: text,
  defaults: mapOf(anything),
  numbers: text,
  metadata: object,
  tenantId: text,
  intended: listOf(intended),
})

const ruleset = record<DraftRuleset>(['config', 'steps'], {
  config,
  startStepId: text,
  steps: listOf(step),
  subRules: mapOf(graph),
  samples: listOf(record<Sample>(['name', 'input'], { name: text, input: object })),
})
