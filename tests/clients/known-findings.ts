/** A finding of schemathesis that stands, and why. */
export interface KnownFinding {
  /** The kind of finding, in the words of its report. */
  readonly type: string
  /** Operations that it concerns. */
  readonly operations: readonly string[]
  readonly reason: string
}

export const KNOWN_FINDINGS: readonly KnownFinding[] = [
  {
    type: 'RejectedPositiveData',
    operations: ['DELETE /api/v1/rulesets/{name}', 'POST /api/v1/rulesets/{name}/rollback'],
    reason: 'a made-up entity tag in `if-match` is not that of the stored ruleset: 412',
  },
  {
    type: 'AllowHeaderMismatch',
    operations: ['OPTIONS /api/v1/rulesets/validate'],
    reason: 'a ruleset may be called `validate`: its path answers GET and DELETE as any other name does',
  },
  {
    type: 'RejectedPositiveData',
    operations: [
      'POST /api/v1/eval',
      'POST /api/v1/debug/eval',
      'POST /api/v1/debug/execute-inline',
      'POST /api/v1/execute/{name}/batch',
      'POST /api/v1/rulesets',
      'POST /api/v1/rulesets/validate',
      'POST /api/v1/rulesets/{name}/filter',
      'POST /api/v1/rulesets/{name}/sql',
      'POST /api/v1/tenants',
      'PUT /api/v1/tenants/{id}',
      'Stateful tests',
    ],
    reason:
      'a schema cannot say which texts are expressions, field paths, names, lines of JSON or compiled rulesets, nor that the steps of a ruleset lead somewhere: these are a 400 with their place',
  },
  {
    type: 'AcceptedNegativeData',
    operations: ['POST /api/v1/rulesets', 'POST /api/v1/rulesets/validate', 'POST /api/v1/debug/execute-inline'],
    reason:
      'a ruleset is kept as it is sent: `_signature` is looked at only where signatures are verified, and fields of another kind of step or action have no meaning (a warning)',
  },
  {
    type: 'AcceptedNegativeData',
    operations: [
      'POST /api/v1/eval',
      'POST /api/v1/debug/eval',
      'POST /api/v1/execute/{name}',
      'POST /api/v1/execute/{name}/batch',
      'POST /api/v1/rulesets/{name}/filter',
      'POST /api/v1/rulesets/{name}/sql',
      'POST /api/v1/tenants',
      'PUT /api/v1/tenants/{id}',
    ],
    reason: 'null for an optional member counts as left out, although the schema names its type only',
  },
  {
    type: 'ServerError',
    operations: [
      'POST /api/v1/execute/{name}',
      'POST /api/v1/debug/execute/{name}',
      'POST /api/v1/debug/execute-inline',
      'POST /api/v1/rulesets/{name}/filter',
      'POST /api/v1/rulesets/{name}/sql',
    ],
    reason:
      'the specification says 500 where the rules fail, or have no form for a database; a defect of the server also has a line in its log, which the check looks for',
  },
]
