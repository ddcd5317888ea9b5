import { type TSchema, Type } from 'typebox'
import { RulesetDocument } from './ruleset.ts'

/** A JSON Schema document as it is written to a file. */
export type FileSchema = { readonly [key: string]: unknown }

/** The kinds of files that people write, each with a JSON Schema. */
export const FILE_KINDS = ['ruleset', 'draft', 'cases', 'suite', 'contract', 'authzen', 'ofrep'] as const
export type FileKind = (typeof FILE_KINDS)[number]

/** Path of the schemas at both servers; a file there is the kind with `.json`. */
export const SCHEMAS_PATH = '/schemas'

/** Unknown members are kept, as in the decoders. */
const open = { additionalProperties: true } as const
const closed = { additionalProperties: false } as const

const schemaMember = {
  $schema: Type.Optional(Type.String({ description: 'address of this schema, for editors' })),
}

/** `null` counts as absent. */
const Text = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Null()], { description }))
const Flag = (description: string) => Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description }))
const Count = (description: string) => Type.Optional(Type.Union([Type.Number(), Type.Null()], { description }))
const List = (item: TSchema, description: string) =>
  Type.Optional(Type.Union([Type.Array(item), Type.Null()], { description }))
const Values = (description: string) => Type.Optional(Type.Union([Type.Object({}, open), Type.Null()], { description }))

/** The text of an expression, a constant, or an object of the editor. */
const Expression = (description: string) => Type.Optional(Type.Unknown({ description }))

const Assignment = Type.Object(
  { name: Text('of the variable or output field'), value: Expression('expression for its value') },
  open,
)

const step = { id: Type.String({ description: 'unique in the ruleset' }), name: Text('shown in traces') }
const next = (key: string, description: string) => ({ [key]: Text(description) })

const DraftDecision = Type.Object(
  {
    ...step,
    type: Type.Literal('decision'),
    branches: List(
      Type.Object(
        {
          id: Text('default: assigned in order'),
          label: Text('shown in the flow'),
          condition: Expression('when it is taken; the first true branch is'),
          ...next('nextStepId', 'id of the step that follows'),
        },
        open,
      ),
      'tried in order',
    ),
    ...next('defaultNextStepId', 'id of the step that follows where no condition is true'),
  },
  { title: 'Decision', ...open },
)

const DraftAction = Type.Object(
  {
    ...step,
    type: Type.Literal('action'),
    assignments: List(Assignment, 'variables that it sets'),
    externalCalls: List(
      Type.Object(
        {
          type: Type.Enum(['http', 'function', 'grpc']),
          target: Text('capability and method, or address'),
          params: Values('expressions by parameter'),
          resultVariable: Text('variable that gets the result'),
          timeout: Count('milliseconds'),
        },
        open,
      ),
      'before the assignments',
    ),
    logging: Type.Optional(
      Type.Union([
        Type.Object({ message: Expression('text to log'), level: Text('debug, info, warn or error') }, open),
        Type.Null(),
      ]),
    ),
    ...next('nextStepId', 'id of the step that follows'),
  },
  { title: 'Action', ...open },
)

const DraftTerminal = Type.Object(
  {
    ...step,
    type: Type.Literal('terminal'),
    code: Text('result code'),
    message: Expression('message of the result'),
    output: List(Assignment, 'fields of the output'),
  },
  { title: 'Terminal', ...open },
)

const DraftSubRule = Type.Object(
  {
    ...step,
    type: Type.Literal('sub_rule'),
    refName: Text('a key of `subRules`, or a sub-rule of the project'),
    bindings: List(
      Type.Object({ field: Text('field of its input'), expr: Expression('its value') }, open),
      'its input',
    ),
    outputs: List(
      Type.Object({ parentVar: Text('variable here'), childVar: Text('variable of the sub-rule') }, open),
      'its results',
    ),
    ...next('nextStepId', 'id of the step that follows'),
  },
  { title: 'SubRule', ...open },
)

const DraftTable = Type.Object(
  {
    ...step,
    type: Type.Literal('table'),
    hitPolicy: Type.Enum(['first', 'unique', 'collect'], { description: 'which matching rows count' }),
    aggregate: Type.Optional(
      Type.Union([Type.Enum(['sum', 'min', 'max', 'count']), Type.Null()], { description: 'only with `collect`' }),
    ),
    columns: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          kind: Type.Enum(['input', 'output']),
          field: Text('input: a path; output: a variable'),
          type: Text('type of its cells'),
          label: Text('heading; default: the field'),
        },
        open,
      ),
    ),
    rows: Type.Array(
      Type.Object(
        {
          id: Text('default: assigned in order'),
          cells: Type.Object(
            {},
            { ...open, description: 'by id of the column; an empty input cell matches any value' },
          ),
          ...next('nextStepId', 'id of the step that follows a match'),
          disabled: Flag('the row never matches'),
          note: Text('for readers'),
        },
        open,
      ),
    ),
    ...next('nextStepId', 'id of the step that follows a match'),
    ...next('defaultNextStepId', 'id of the step that follows where no row matches'),
  },
  { title: 'Table', ...open },
)

const DraftSteps = Type.Array(Type.Union([DraftDecision, DraftAction, DraftTerminal, DraftSubRule, DraftTable]))

const Draft = Type.Object(
  {
    ...schemaMember,
    config: Type.Object(
      {
        name: Type.String({ description: 'of the ruleset' }),
        version: Text('default: 1.0.0'),
        description: Text('for readers'),
        enableTrace: Flag('trace executions'),
        contract: Text('name of the contract; default: that with the name of the ruleset'),
        timeout: Count('milliseconds; 0 is off'),
        maxDepth: Count('steps that may be entered'),
        fieldMissing: Text('`lenient`, `strict` or `default`'),
        defaults: Values('path to value, with `fieldMissing: default`'),
        numbers: Text('`double` or `decimal`'),
        metadata: Values('texts by name'),
        tenantId: Text('tenant of the ruleset'),
        intended: List(
          Type.Object(
            {
              finding: Type.String(),
              place: Type.String(),
              reason: Type.String({ minLength: 1 }),
              author: Text('who acknowledged it; the platform sets it'),
              at: Text('when: the time of the save'),
            },
            open,
          ),
          'findings of the analysis that the author intends',
        ),
      },
      open,
    ),
    startStepId: Text('id of the first step'),
    steps: DraftSteps,
    subRules: Type.Optional(
      Type.Union([
        Type.Record(Type.String(), Type.Object({ startStepId: Text('id of the first step'), steps: DraftSteps }, open)),
        Type.Null(),
      ]),
    ),
    samples: List(Type.Object({ name: Type.String(), input: Type.Object({}, open) }, open), 'inputs to try it with'),
  },
  { title: 'Draft', description: 'a ruleset in the format of the editor', ...open },
)

const Expectation = {
  code: Type.Optional(Type.String({ description: 'result code' })),
  message: Type.Optional(Type.String()),
  exact: Type.Optional(Type.Boolean({ description: 'the output has no further keys' })),
  path: Type.Optional(Type.Array(Type.String(), { description: 'ids of steps, in order' })),
  tolerance: Type.Optional(Type.Number({ minimum: 0, description: 'of numbers in the output' })),
  error: Type.Optional(Type.String({ description: 'a part of an error message' })),
}

const Case = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    input: Type.Optional(Type.Object({}, { ...open, description: 'default: empty' })),
    now: Type.Optional(Type.String({ description: 'a time such as 2026-01-31T12:00:00Z for `now()`' })),
    stubs: Type.Optional(Type.Object({}, { ...open, description: 'results of external calls by `service.method`' })),
    expect: Type.Object(
      { ...Expectation, output: Type.Optional(Type.Unknown({ description: 'the fields that are compared' })) },
      { ...closed, minProperties: 1 },
    ),
    id: Type.Optional(Type.String({ minLength: 1, description: 'assigned by a platform' })),
    suite: Type.Optional(Type.String({ minLength: 1 })),
  },
  { title: 'Case', ...closed },
)

const Cases = Type.Union([Type.Array(Case), Type.Object({ ...schemaMember, cases: Type.Array(Case) }, closed)], {
  title: 'Cases',
  description: 'the cases of a ruleset: a list, or an object that may name its schema',
})

const Suite = Type.Object(
  {
    ...schemaMember,
    ruleset: Type.String({ description: 'name of the ruleset' }),
    cases: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          input: Type.Object({}, open),
          now: Text('a time such as 2026-01-31T12:00:00Z for `now()`'),
          stubs: Values('results of external calls by `service.method`'),
          expect: Type.Object(
            { ...Expectation, output: Type.Optional(Type.Object({}, { ...open, description: 'fields' })) },
            closed,
          ),
        },
        closed,
      ),
    ),
  },
  { title: 'Suite', description: 'tests of a ruleset in a project (`tests/RULESET/SUITE.yaml`)', ...closed },
)

const ContractField = Type.Object(
  {
    name: Type.String({ description: 'path joined by dots' }),
    type: Type.String({ description: 'for example `number`, `text`, `list<number>`, `concept:address`' }),
    required: Flag('inputs without it break the contract'),
    default: Type.Optional(Type.Unknown({ description: 'value where it is missing' })),
    enum: List(Type.Unknown(), 'the only values'),
    minimum: Count('least number'),
    maximum: Count('largest number'),
    digits: Count('only for `decimal`: digits in total'),
    decimals: Count('only for `decimal`: digits after the point'),
    sensitive: Flag('masked where inputs are recorded'),
  },
  open,
)

const Contract = Type.Object(
  {
    ...schemaMember,
    name: Type.String(),
    version: Type.String({ description: 'for example 1.0.0' }),
    input: Type.Object({ fields: Type.Array(ContractField) }, open),
    outputs: Type.Array(
      Type.Object(
        {
          code: Type.String({ description: 'result code' }),
          fields: Type.Optional(Type.Array(Type.Object({ name: Type.String(), type: Type.String() }, open))),
        },
        open,
      ),
    ),
  },
  { title: 'Contract', description: 'the typed input and output of a ruleset (specification 2.9)', ...open },
)

const Ruleset = Type.Object({ ...schemaMember, ...RulesetDocument.properties }, { ...RulesetDocument })

const ConfigurationText = (description: string) => Type.String({ minLength: 1, maxLength: 1024, description })
const ConfigurationTexts = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
    minItems: 1,
    maxItems: 1000,
    uniqueItems: true,
    description,
  })
const Pattern = (what: string) =>
  Type.Optional(
    Type.Union([ConfigurationText(`${what}, or \`*\` for any`), ConfigurationTexts(`${what}, one of these`)]),
  )

const Authzen = Type.Object(
  {
    ...schemaMember,
    base: Type.Optional(
      Type.String({
        pattern: '^https://',
        maxLength: 1024,
        description: 'address of the engine for its clients: discovery names it',
      }),
    ),
    rules: Type.Array(
      Type.Object(
        {
          subject: Pattern('type of the subject'),
          action: Pattern('name of the action'),
          resource: Pattern('type of the resource'),
          ruleset: ConfigurationText('name of the ruleset that decides'),
          permit: ConfigurationTexts('result codes that permit; any other denies'),
          actions: Type.Optional(ConfigurationTexts('candidates of an action search')),
        },
        closed,
      ),
      { minItems: 1, maxItems: 1000, description: 'the first rule that fits decides' },
    ),
    entities: Type.Optional(ConfigurationText('file with entities, a JSON object a line')),
    unknown_subject: Type.Optional(
      Type.Union([Type.Literal('deny'), Type.Literal('rules')], {
        description: 'searches about a subject without an entity',
      }),
    ),
    max_evaluations: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'default: 1000' })),
    max_candidates: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'default: 100000' })),
    context: Type.Optional(
      Type.Array(Type.Union([Type.Literal('code'), Type.Literal('reason'), Type.Literal('output')]), {
        uniqueItems: true,
        description: 'parts of the decision in answers; default: code and reason',
      }),
    ),
  },
  { title: 'Authzen', description: 'mapping of AuthZEN requests to rulesets (docs/authzen.md)', ...closed },
)

const flagForm = {
  value: Type.Optional(
    Type.String({
      pattern: '^(?:auto|code|message|output(?:\\.[^.]+)*)$',
      maxLength: 1024,
      description: '`auto`, `code`, `message`, `output` or a member such as `output.percent`',
    }),
  ),
  on: Type.Optional(ConfigurationTexts('result codes for which the flag is true')),
  type: Type.Optional(
    Type.Union(
      ['boolean', 'string', 'integer', 'float', 'object'].map((type) => Type.Literal(type)),
      { description: 'default: that of the value' },
    ),
  ),
  targeting: Type.Optional(ConfigurationText('field of the input for the targeting key')),
}

const Ofrep = Type.Object(
  {
    ...schemaMember,
    flags: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }),
        Type.Object({ ruleset: ConfigurationText('name of the ruleset'), ...flagForm }, closed),
        { ...closed, maxProperties: 1000, description: 'by their keys' },
      ),
    ),
    default: Type.Optional(Type.Object(flagForm, { ...closed, description: 'the form of flags that are not listed' })),
  },
  { title: 'Ofrep', description: 'feature flags of OpenFeature clients (docs/ofrep.md)', ...closed },
)

const SCHEMAS: { readonly [Kind in FileKind]: TSchema } = {
  ruleset: Ruleset,
  draft: Draft,
  cases: Cases,
  suite: Suite,
  contract: Contract,
  authzen: Authzen,
  ofrep: Ofrep,
}

/**
 * The JSON Schema (draft-07, which every editor knows) of a kind of file. It accepts each file that the decoders accept, and
 * refuses most mistakes of shape; names and expressions are checked by `engine check`.
 */
export function fileSchema(kind: FileKind): FileSchema {
  const schema = plainSchema(SCHEMAS[kind])
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...(schema as FileSchema) }
}

/** Words of OpenAPI, which validators of JSON Schema do not know. */
const FOREIGN: ReadonlySet<string> = new Set(['discriminator'])

/** The members of a schema that are JSON, without words of OpenAPI. */
function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, inner]) => (FOREIGN.has(key) ? [] : [[key, plainSchema(inner)]])),
  )
}
