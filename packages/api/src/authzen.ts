import { Type } from 'typebox'

const Properties = Type.Object(
  {},
  { additionalProperties: true, description: 'win over those of `entities`, member by member' },
)

const Subject = Type.Object(
  { type: Type.String(), id: Type.String(), properties: Type.Optional(Properties) },
  { additionalProperties: true, title: 'AuthzenSubject' },
)
const Resource = Type.Object(
  { type: Type.String(), id: Type.String(), properties: Type.Optional(Properties) },
  { additionalProperties: true, title: 'AuthzenResource' },
)
const Action = Type.Object(
  { name: Type.String(), properties: Type.Optional(Type.Object({}, { additionalProperties: true })) },
  { additionalProperties: true, title: 'AuthzenAction' },
)
const Context = Type.Object({}, { additionalProperties: true })

/** Request of `POST /access/v1/evaluation` (AuthZEN Authorization API 1.0). Unknown members are ignored. */
export const AccessEvaluationRequest = Type.Object(
  { subject: Subject, action: Action, resource: Resource, context: Type.Optional(Context) },
  {
    title: 'AccessEvaluationRequest',
    additionalProperties: true,
    examples: [
      {
        subject: { type: 'user', id: 'alice' },
        action: { name: 'read' },
        resource: { type: 'record', id: 'record-1' },
      },
    ],
  },
)

/** A decision with its reasons, as far as the mapping shows them. */
export const AccessEvaluation = Type.Object(
  {
    decision: Type.Boolean(),
    context: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: '`code`, `reason`, `output`, `error`' }),
    ),
  },
  { title: 'AccessEvaluation', examples: [{ decision: true, context: { code: 'PERMIT', reason: 'allowed' } }] },
)

/** Request of `POST /access/v1/evaluations`: members of an item replace those at the top. */
export const AccessEvaluationsRequest = Type.Object(
  {
    subject: Type.Optional(Type.Object({}, { additionalProperties: true })),
    action: Type.Optional(Type.Object({}, { additionalProperties: true })),
    resource: Type.Optional(Type.Object({}, { additionalProperties: true })),
    context: Type.Optional(Context),
    evaluations: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
    options: Type.Optional(
      Type.Object(
        {
          evaluations_semantic: Type.Optional(
            Type.Enum(['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'], { default: 'execute_all' }),
          ),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { title: 'AccessEvaluationsRequest', additionalProperties: true },
)

/** Answer of `POST /access/v1/evaluations`: `evaluations` in the order of the items, or one decision without items. */
export const AccessEvaluations = Type.Object(
  {
    evaluations: Type.Optional(Type.Array(AccessEvaluation)),
    decision: Type.Optional(Type.Boolean()),
    context: Type.Optional(Context),
  },
  { title: 'AccessEvaluations' },
)

/** Request of the searches. The id, or the action, that is searched is absent. */
export const AccessSearchRequest = Type.Object(
  {
    subject: Type.Object(
      { type: Type.String(), id: Type.Optional(Type.String()), properties: Type.Optional(Properties) },
      { additionalProperties: true },
    ),
    action: Type.Optional(Type.Object({}, { additionalProperties: true })),
    resource: Type.Object(
      { type: Type.String(), id: Type.Optional(Type.String()), properties: Type.Optional(Properties) },
      { additionalProperties: true },
    ),
    context: Type.Optional(Context),
    page: Type.Optional(
      Type.Object(
        {
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1000 })),
          token: Type.Optional(Type.String({ description: '`next_token` of the page before' })),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { title: 'AccessSearchRequest', additionalProperties: true },
)

/** Answer of the searches, in the order of ids. */
export const AccessSearchResult = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        type: Type.Optional(Type.String({ description: 'of a subject or resource' })),
        id: Type.Optional(Type.String({ description: 'of a subject or resource' })),
        name: Type.Optional(Type.String({ description: 'of an action' })),
      }),
    ),
    page: Type.Object({
      next_token: Type.String({ description: 'empty on the last page' }),
      count: Type.Integer({ description: 'results of this page' }),
    }),
  },
  { title: 'AccessSearchResult' },
)

/** Answer of `GET /.well-known/authzen-configuration`. */
export const AuthzenConfiguration = Type.Object(
  {
    policy_decision_point: Type.String(),
    access_evaluation_endpoint: Type.String(),
    access_evaluations_endpoint: Type.String(),
    search_subject_endpoint: Type.Optional(Type.String()),
    search_resource_endpoint: Type.Optional(Type.String()),
    search_action_endpoint: Type.Optional(Type.String()),
  },
  { title: 'AuthzenConfiguration' },
)
