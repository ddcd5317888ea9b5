import { Type } from 'typebox'
import { Findings } from './analysis.ts'
import { ErrorDetail } from './error.ts'
import type { ReadonlyStatic } from './static.ts'

/** An expression: text, a constant, or its JSON form (docs/rulesets.md). */
const Expression = (description: string) =>
  Type.Unknown({ description: `${description}: text, a constant, or a JSON form` })

/** `[[name, expression], …]` */
const Named = (description: string) =>
  Type.Array(Type.Array(Type.Unknown(), { minItems: 2, maxItems: 2 }), { description })

/** Unknown fields are kept, also by generated clients. */
const open = { additionalProperties: true } as const

const described = { description: Type.Optional(Type.String({ description: 'for readers' })) }

const Action = Type.Union(
  [
    Type.Object(
      {
        action: Type.Literal('set_variable'),
        ...described,
        name: Type.String(),
        value: Expression('value of `$name`'),
      },
      { title: 'SetVariable' },
    ),
    Type.Object(
      {
        action: Type.Literal('log'),
        ...described,
        message: Type.String(),
        level: Type.Optional(Type.Enum(['debug', 'info', 'warn', 'error'], { default: 'info' })),
      },
      { title: 'Log' },
    ),
    Type.Object(
      {
        action: Type.Literal('metric'),
        ...described,
        name: Type.String(),
        value: Expression('the value to record'),
        tags: Type.Optional(Named('pairs of two texts')),
      },
      { title: 'Metric' },
    ),
    Type.Object(
      {
        action: Type.Literal('external_call'),
        ...described,
        service: Type.String({ description: 'a capability' }),
        method: Type.String({ description: 'an operation of the capability' }),
        params: Type.Optional(Named('pairs of a name and an expression')),
        result_variable: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        timeout_ms: Type.Optional(
          Type.Integer({ minimum: 0, description: 'milliseconds; 0: the default of the capability' }),
        ),
      },
      { title: 'ExternalCall' },
    ),
    Type.Object(
      {
        action: Type.Literal('call_ruleset'),
        ...described,
        ruleset_name: Type.String(),
        input_mapping: Type.Optional(Expression('input of the other ruleset')),
        result_variable: Type.String(),
      },
      { title: 'CallRuleset' },
    ),
  ],
  { title: 'Action', discriminator: { propertyName: 'action' } },
)

const Actions = Type.Array(Action)

/** The fields of every step. */
const identity = {
  ...described,
  id: Type.String({ description: 'the same as its key' }),
  name: Type.Optional(Type.String({ description: 'shown in traces; default: the id' })),
}

const Step = Type.Union(
  [
    Type.Object(
      {
        ...identity,
        type: Type.Literal('decision'),
        branches: Type.Optional(
          Type.Array(
            Type.Object(
              {
                ...described,
                condition: Expression('when it is taken'),
                next_step: Type.String(),
                actions: Type.Optional(Actions),
              },
              { title: 'Branch' },
            ),
          ),
        ),
        default_next: Type.Optional(
          Type.Union([Type.String(), Type.Null()], { description: 'where no condition holds' }),
        ),
      },
      { title: 'DecisionStep', ...open },
    ),
    Type.Object(
      {
        ...identity,
        type: Type.Literal('action'),
        actions: Type.Optional(Actions),
        next_step: Type.String(),
      },
      { title: 'ActionStep', ...open },
    ),
    Type.Object(
      {
        ...identity,
        type: Type.Literal('terminal'),
        result: Type.Object(
          {
            code: Type.String(),
            message: Type.String(),
            // Not any value: generated Java clients would send null for it, which is an output field like any other.
            output: Type.Optional(
              Type.Unknown({
                description: 'pairs of a name and an expression are evaluated; any other value is returned unchanged',
              }),
            ),
          },
          { title: 'TerminalResult', description: 'further fields are copied to the output', ...open },
        ),
      },
      { title: 'TerminalStep', ...open },
    ),
    Type.Object(
      {
        ...identity,
        type: Type.Literal('sub_rule'),
        ref_name: Type.String({ description: 'a key of `sub_rules`' }),
        bindings: Type.Optional(Named('pairs of a field of its input and an expression')),
        outputs: Type.Optional(Named('pairs of a variable here and a variable of the sub-rule')),
        next_step: Type.String(),
      },
      { title: 'SubRuleStep', ...open },
    ),
  ],
  { title: 'Step', discriminator: { propertyName: 'type' } },
)

/** A ruleset document, specification 2.1. For the description only: `@engine/ruleset` decodes it and reports errors. */
export const RulesetDocument = Type.Object(
  {
    config: Type.Object(
      {
        name: Type.String({ description: '1 to 128 letters, digits, `.`, `_`, `-`; not starting with `.`, no `..`' }),
        version: Type.Optional(Type.String({ default: '1.0.0' })),
        entry_step: Type.Optional(Type.String({ default: 'start', description: 'id of the first step' })),
        description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        field_missing: Type.Optional(Type.Enum(['lenient', 'strict', 'default'], { default: 'lenient' })),
        defaults: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: 'path to value, with `field_missing: default`' }),
        ),
        timeout_ms: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 3_600_000, default: 5000, description: 'milliseconds; 0 is off' }),
        ),
        max_depth: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1000, description: 'steps that may be entered' }),
        ),
        enable_trace: Type.Optional(
          Type.Boolean({ default: false, description: 'for programs that embed the rules: trace executions' }),
        ),
        contract: Type.Optional(
          Type.Object(
            {
              mode: Type.Enum(['off', 'warn', 'enforce']),
              contract: Type.Object({}, open),
            },
            { description: 'what inputs have to be' },
          ),
        ),
        numbers: Type.Optional(
          Type.Enum(['double', 'decimal'], { default: 'double', description: 'what numbers mean: docs/numbers.md' }),
        ),
        receipt_fields: Type.Optional(
          Type.Array(Type.String(), {
            description: 'fields of the input that receipts commit to one by one: docs/receipts.md',
          }),
        ),
        message_templates: Type.Optional(
          Type.Boolean({ default: false, description: 'evaluate `{expression}` in messages' }),
        ),
        metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
        tenant_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      },
      { title: 'RulesetConfig', ...open },
    ),
    steps: Type.Record(Type.String(), Step),
    sub_rules: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object(
          { ...described, entry_step: Type.Optional(Type.String()), steps: Type.Record(Type.String(), Step) },
          { title: 'SubRule' },
        ),
      ),
    ),
    _signature: Type.Optional(
      Type.Object(
        {
          algorithm: Type.Optional(Type.String({ default: 'ed25519' })),
          public_key: Type.String({ description: 'base64' }),
          signature: Type.String({ description: 'base64' }),
          signed_at: Type.Optional(Type.String()),
        },
        { title: 'Signature' },
      ),
    ),
  },
  {
    title: 'Ruleset',
    description: 'a ruleset (specification 2.1); unknown fields are kept',
    ...open,
    examples: [
      {
        config: { name: 'adult-check', version: '1.0.0', entry_step: 'check' },
        steps: {
          check: {
            id: 'check',
            name: 'Old enough?',
            type: 'decision',
            branches: [{ condition: 'age >= 18', next_step: 'yes' }],
            default_next: 'no',
          },
          yes: { id: 'yes', name: 'Adult', type: 'terminal', result: { code: 'ADULT', message: 'may order' } },
          no: { id: 'no', name: 'Minor', type: 'terminal', result: { code: 'MINOR', message: 'needs a guardian' } },
        },
      },
    ],
  },
)

const Digest = Type.String({
  title: 'Digest',
  pattern: '^sha256:[0-9a-f]{64}$',
  description:
    'SHA-256 of the canonical JSON without `_signature`: identifies the content regardless of form and layout',
})

/** Answer of `POST /rulesets`. `warnings` only when there are any. */
export const SavedRuleset = Type.Object(
  {
    status: Type.Union([Type.Literal('created'), Type.Literal('updated')]),
    name: Type.String(),
    digest: Digest,
    unchanged: Type.Optional(
      Type.Literal(true, { description: 'the same content was already stored: no new version was created' }),
    ),
    dry_run: Type.Optional(Type.Literal(true, { description: 'nothing was stored' })),
    warnings: Type.Optional(Type.Array(ErrorDetail)),
    findings: Type.Optional(Findings),
  },
  { title: 'SavedRuleset' },
)
export type SavedRuleset = ReadonlyStatic<typeof SavedRuleset>

/** Answer of `POST /rulesets/validate`. */
export const RulesetValidity = Type.Object(
  {
    valid: Type.Boolean({ description: 'whether its content could be stored' }),
    name: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
    digest: Type.Optional(Digest),
    errors: Type.Optional(Type.Array(ErrorDetail, { description: 'why it is not valid' })),
    warnings: Type.Optional(Type.Array(ErrorDetail)),
  },
  { title: 'RulesetValidity', examples: [{ valid: true, name: 'adult-check', version: '1.0.0' }] },
)
export type RulesetValidity = ReadonlyStatic<typeof RulesetValidity>

/** Answer of `GET /rulesets/:name/inputs`. */
export const RulesetInputs = Type.Object(
  {
    fields: Type.Array(
      Type.Object({
        path: Type.String(),
        types: Type.Array(Type.String(), {
          description: 'that of the contract, or those of the constants that it is compared with; empty: any',
        }),
        required: Type.Boolean({ description: 'the contract rejects an input without it' }),
        steps: Type.Array(Type.String(), { description: 'the steps that read it' }),
      }),
    ),
    codes: Type.Array(Type.String(), { description: 'result codes' }),
  },
  {
    title: 'RulesetInputs',
    examples: [
      {
        fields: [{ path: 'age', types: ['number'], required: false, steps: ['check'] }],
        codes: ['ADULT', 'MINOR'],
      },
    ],
  },
)

/** One row of `GET /rulesets`. */
export const RulesetSummary = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    description: Type.Union([Type.String(), Type.Null()]),
    step_count: Type.Integer(),
    digest: Digest,
  },
  { title: 'RulesetSummary' },
)
export type RulesetSummary = ReadonlyStatic<typeof RulesetSummary>

/** Answer of `GET /rulesets`. */
export const RulesetList = Type.Array(RulesetSummary)

/** Answer of `GET /rulesets/:name/versions`, newest first. Specification 2.4. */
export const VersionList = Type.Object(
  {
    name: Type.String(),
    current_version: Type.String(),
    versions: Type.Array(
      Type.Object({
        seq: Type.Integer(),
        version: Type.String(),
        timestamp: Type.String({ description: 'ISO 8601 UTC: when this content was replaced' }),
      }),
    ),
  },
  {
    title: 'VersionList',
    examples: [
      {
        name: 'adult-check',
        current_version: '1.1.0',
        versions: [{ seq: 1, version: '1.0.0', timestamp: '2026-01-01T00:00:00.000Z' }],
      },
    ],
  },
)
export type VersionList = ReadonlyStatic<typeof VersionList>

/** Request of `POST /rulesets/:name/rollback`. */
export const RollbackRequest = Type.Object(
  {
    seq: Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, description: 'from `GET …/versions`' }),
  },
  { title: 'RollbackRequest', examples: [{ seq: 1 }] },
)
export type RollbackRequest = ReadonlyStatic<typeof RollbackRequest>

/** Answer of `POST /rulesets/:name/rollback`. */
export const RollbackResult = Type.Object(
  {
    status: Type.Literal('rolled_back'),
    name: Type.String(),
    from_version: Type.String(),
    to_version: Type.String(),
    digest: Digest,
  },
  { title: 'RollbackResult' },
)
export type RollbackResult = ReadonlyStatic<typeof RollbackResult>
