import { Type } from 'typebox'
import { ErrorDetail } from './error.ts'
import type { ReadonlyStatic } from './static.ts'

/** A ruleset document, specification 2.1. Only for description: `@engine/ruleset` decodes and says what is wrong. */
export const RulesetDocument = Type.Object(
  {
    config: Type.Object({
      name: Type.String({ description: '1 to 128 letters, digits, `.`, `_`, `-`; not starting with `.`, no `..`' }),
      version: Type.Optional(Type.String({ default: '1.0.0' })),
      entry_step: Type.Optional(Type.String({ default: 'start', description: 'id of the first step' })),
      description: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      field_missing: Type.Optional(
        Type.Union([Type.Literal('lenient'), Type.Literal('strict'), Type.Literal('default')]),
      ),
      defaults: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      timeout_ms: Type.Optional(Type.Integer({ minimum: 0, description: 'milliseconds; 0 is off' })),
      max_depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    }),
    steps: Type.Record(
      Type.String(),
      Type.Object({
        id: Type.String(),
        name: Type.Optional(Type.String()),
        type: Type.Union([Type.Literal('decision'), Type.Literal('action'), Type.Literal('terminal')]),
      }),
    ),
  },
  {
    description: 'a ruleset (specification 2.1)',
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
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'SHA-256 of the canonical JSON without `_signature`: of the content, whatever its form and layout',
})

/** Answer of `POST /rulesets`. `warnings` only when there are some. */
export const SavedRuleset = Type.Object({
  status: Type.Union([Type.Literal('created'), Type.Literal('updated')]),
  name: Type.String(),
  digest: Digest,
  unchanged: Type.Optional(Type.Literal(true, { description: 'the same was stored already: there is no new version' })),
  dry_run: Type.Optional(Type.Literal(true, { description: 'nothing was stored' })),
  warnings: Type.Optional(Type.Array(ErrorDetail)),
})
export type SavedRuleset = ReadonlyStatic<typeof SavedRuleset>

/** Answer of `POST /rulesets/validate`. */
export const RulesetValidity = Type.Object({
  valid: Type.Boolean({ description: 'whether it could be stored, as far as its content goes' }),
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  digest: Type.Optional(Digest),
  errors: Type.Optional(Type.Array(ErrorDetail, { description: 'why it is not valid' })),
  warnings: Type.Optional(Type.Array(ErrorDetail)),
})
export type RulesetValidity = ReadonlyStatic<typeof RulesetValidity>

/** One row of `GET /rulesets`. */
export const RulesetSummary = Type.Object({
  name: Type.String(),
  version: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  digest: Digest,
})
export type RulesetSummary = ReadonlyStatic<typeof RulesetSummary>

/** Answer of `GET /rulesets`. */
export const RulesetList = Type.Array(RulesetSummary)

/** Answer of `GET /rulesets/:name/versions`, newest first. Specification 2.4. */
export const VersionList = Type.Object({
  name: Type.String(),
  current_version: Type.String(),
  versions: Type.Array(
    Type.Object({
      seq: Type.Integer(),
      version: Type.String(),
      timestamp: Type.String({ description: 'ISO 8601 UTC: when this content was replaced' }),
    }),
  ),
})
export type VersionList = ReadonlyStatic<typeof VersionList>

/** Request of `POST /rulesets/:name/rollback`. */
export const RollbackRequest = Type.Object({
  seq: Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, description: 'from `GET …/versions`' }),
})
export type RollbackRequest = ReadonlyStatic<typeof RollbackRequest>

/** Answer of `POST /rulesets/:name/rollback`. */
export const RollbackResult = Type.Object({
  status: Type.Literal('rolled_back'),
  name: Type.String(),
  from_version: Type.String(),
  to_version: Type.String(),
  digest: Digest,
})
export type RollbackResult = ReadonlyStatic<typeof RollbackResult>
