import { Type } from 'typebox'

/** Error codes of OFREP that this server answers. */
const FLAG_ERROR_CODES = [
  'PARSE_ERROR',
  'INVALID_CONTEXT',
  'TARGETING_KEY_MISSING',
  'FLAG_NOT_FOUND',
  'GENERAL',
] as const
export type FlagErrorCode = (typeof FLAG_ERROR_CODES)[number]

/** Request of the evaluations of flags (OpenFeature Remote Evaluation Protocol 0.3.0). */
export const FlagEvaluationRequest = Type.Object(
  {
    context: Type.Optional(
      Type.Object(
        { targetingKey: Type.Optional(Type.String()) },
        { additionalProperties: true, description: 'the input of the ruleset' },
      ),
    ),
  },
  {
    title: 'FlagEvaluationRequest',
    additionalProperties: true,
    examples: [{ context: { targetingKey: 'user-1', tier: 'gold' } }],
  },
)

/** A flag with its value. */
export const FlagEvaluation = Type.Object(
  {
    key: Type.String(),
    value: Type.Unknown(),
    reason: Type.Enum(['STATIC', 'TARGETING_MATCH']),
    variant: Type.String({ description: 'code of the decision' }),
    metadata: Type.Object({ ruleset: Type.String(), version: Type.String(), digest: Type.String() }),
  },
  {
    title: 'FlagEvaluation',
    examples: [
      {
        key: 'discount',
        value: 15,
        reason: 'TARGETING_MATCH',
        variant: 'VIP_GOLD',
        metadata: { ruleset: 'vip-discount', version: '1.0.0', digest: '0'.repeat(64) },
      },
    ],
  },
)

/** The error of an evaluation. */
export const FlagError = Type.Object(
  {
    key: Type.Optional(Type.String({ description: 'of the requested flag' })),
    errorCode: Type.Enum([...FLAG_ERROR_CODES]),
    errorDetails: Type.String(),
  },
  {
    title: 'FlagError',
    examples: [{ key: 'discount', errorCode: 'FLAG_NOT_FOUND', errorDetails: 'there is no flag `discount`' }],
  },
)

/** Answer of the evaluation of all flags. */
export const FlagEvaluations = Type.Object(
  {
    flags: Type.Array(Type.Object({ key: Type.String() }, { additionalProperties: true })),
    metadata: Type.Object({ version: Type.String({ description: 'of the server' }) }),
  },
  { title: 'FlagEvaluations' },
)
