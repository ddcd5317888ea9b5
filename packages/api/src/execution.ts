import { Type } from 'typebox'
import type { ReadonlyStatic } from './static.ts'

/** Maximum number of inputs of one batch request. */
export const MAX_BATCH_INPUTS = 100_000

const TraceValues = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'with `trace`: add values to the trace; needs the scope `trace` in addition to `execute`',
  }),
)

/** Request of `POST /execute/:name`. Other fields are ignored. */
export const ExecuteRequest = Type.Object(
  {
    input: Type.Object({}, { additionalProperties: true, description: 'the input of the rules' }),
    trace: Type.Optional(Type.Boolean({ default: false })),
    trace_values: TraceValues,
    receipt: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'answer with a signed receipt (docs/receipts.md); needs `--receipts`',
      }),
    ),
  },
  { title: 'ExecuteRequest', examples: [{ input: { age: 20 } }] },
)
export type ExecuteRequest = ReadonlyStatic<typeof ExecuteRequest>

const TraceStep = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    duration_us: Type.Integer(),
    branch: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], {
        description: 'of a decision: the number of the branch taken, from 0; null: the default',
      }),
    ),
    condition: Type.Optional(Type.String({ description: 'of the branch taken' })),
    values: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'with `trace_values`: the fields and variables in the conditions up to the branch taken; null when missing',
        },
      ),
    ),
    variables: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'with `trace_values`: the variables that it set' }),
    ),
  },
  { title: 'TraceStep' },
)

/** Specification 2.3. */
export const Trace = Type.Object(
  {
    path: Type.String({ description: 'visited step ids joined by ` -> `' }),
    steps: Type.Array(TraceStep),
    truncated: Type.Optional(Type.Literal(true, { description: 'more than 10,000 steps were visited' })),
    values_truncated: Type.Optional(
      Type.Literal(true, { description: 'with `trace_values`: values beyond 1,000,000 characters were left out' }),
    ),
  },
  { title: 'Trace' },
)

const SuspectFields = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object({
        field: Type.String(),
        nearest: Type.Union([Type.String(), Type.Null()], { description: 'the field that was probably meant' }),
      }),
      { maxItems: 100, description },
    ),
  )

/** With a trace: fields of the input that probably have the wrong name. */
const inputUse = {
  read_but_missing: SuspectFields('with a trace: fields that visited steps may read and that the input lacks'),
  given_but_unread: SuspectFields('with a trace: fields of the input that no step reads'),
}

const SaltedText = Type.Array(Type.String(), { minItems: 2, maxItems: 2, description: 'salt and text' })

/** A signed receipt: docs/receipts.md. */
export const DecisionReceipt = Type.Object(
  {
    format: Type.Literal('engine-receipt/1'),
    entry: Type.String({ description: 'the hashed text of the entry' }),
    index: Type.Integer({ description: 'place of the entry in the signed tree' }),
    path: Type.Array(Type.String(), { description: 'hashes up to the root of the tree' }),
    checkpoint: Type.String({ description: 'the signed text' }),
    signature: Type.String(),
    evidence: Type.Optional(
      Type.Object({
        input: Type.Optional(SaltedText),
        output: Type.Optional(SaltedText),
        message: Type.Optional(SaltedText),
        calls: Type.Optional(SaltedText),
        fields: Type.Optional(Type.Record(Type.String(), SaltedText)),
      }),
    ),
  },
  { title: 'DecisionReceipt', description: 'proves a decision to third parties' },
)
export type DecisionReceipt = ReadonlyStatic<typeof DecisionReceipt>

const receipt = Type.Optional(DecisionReceipt)

/** Answer of `POST /execute/:name`, specification 2.3. */
export const ExecutionResult = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    output: Type.Object({}, { additionalProperties: true }),
    duration_us: Type.Integer({ description: 'microseconds' }),
    trace: Type.Optional(Trace),
    ...inputUse,
    receipt,
  },
  { title: 'ExecutionResult', examples: [{ code: 'ADULT', message: 'may order', output: {}, duration_us: 3 }] },
)

/** Request of `POST /execute/:name/batch` as JSON. */
export const BatchRequest = Type.Object(
  {
    inputs: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_BATCH_INPUTS, description: 'objects' }),
    options: Type.Optional(
      Type.Object({
        trace: Type.Optional(Type.Boolean({ default: false })),
        trace_values: TraceValues,
        receipt: Type.Optional(
          Type.Boolean({ default: false, description: 'each result has its receipt; needs `--receipts`' }),
        ),
        stop_on_error: Type.Optional(
          Type.Boolean({ default: false, description: 'stop at the first input that fails; later ones are not run' }),
        ),
        parallel: Type.Optional(
          Type.Boolean({
            default: true,
            description:
              'up to 16 inputs may wait for external calls at the same time; false, or `stop_on_error`: one after the other',
          }),
        ),
      }),
    ),
  },
  { title: 'BatchRequest', examples: [{ inputs: [{ age: 20 }, { age: 12 }] }] },
)
export type BatchRequest = ReadonlyStatic<typeof BatchRequest>

/** One entry of a batch answer, and one line of an NDJSON answer. A failed one has code `error` and `error` set. */
export const BatchItem = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    output: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
    duration_us: Type.Integer(),
    trace: Type.Optional(Trace),
    ...inputUse,
    error: Type.Optional(Type.String()),
    receipt,
    line: Type.Optional(Type.Integer({ description: 'NDJSON only: the line of the input, one-based' })),
    key: Type.Optional(
      Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
        description: 'NDJSON with the parameter `key`: the value of that field',
      }),
    ),
  },
  { title: 'BatchItem' },
)

/** Answer of `POST /execute/:name/batch` as JSON. */
export const BatchResult = Type.Object(
  {
    results: Type.Array(BatchItem),
    summary: Type.Object({
      total: Type.Integer({ description: 'inputs received' }),
      success: Type.Integer(),
      failed: Type.Integer(),
      total_duration_us: Type.Integer({ description: 'sum over the inputs' }),
    }),
  },
  {
    title: 'BatchResult',
    examples: [
      {
        results: [{ code: 'ADULT', message: 'may order', output: {}, duration_us: 3 }],
        summary: { total: 1, success: 1, failed: 0, total_duration_us: 3 },
      },
    ],
  },
)
