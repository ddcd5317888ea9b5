import { Type } from 'typebox'

const KnownInput = Type.Object(
  {},
  { additionalProperties: true, description: 'values known at query time; every other field is a column' },
)
/** Maximum number of names in one list of a request. */
const MAX_NAMES = 10_000

const FieldMapping = Type.Record(Type.String(), Type.String(), {
  maxProperties: MAX_NAMES,
  description: 'field path to column; default: the path with `_` for each `.`',
})

const ColumnType = Type.String({
  title: 'ColumnType',
  description: 'one of `text`, `number`, `integer`, `boolean`, `decimal(p, s)`',
  pattern: String.raw`^(?:text|number|integer|boolean|decimal\(\d{1,2}, ?\d{1,2}\))$`,
})

const Columns = Type.Record(Type.String(), ColumnType, {
  maxProperties: MAX_NAMES,
  description:
    'type of each column: `number` is a double, `integer` a 64-bit integer, `decimal(p, s)` has p digits, s of them after the point; other columns have the type that the rules use them as',
})

const FilterFormat = Type.Enum(['sql', 'json', 'mongo'], {
  title: 'FilterFormat',
  description: 'SQL dialect of the condition; `sql` when absent',
})

/** Request of `POST /rulesets/:name/filter`: specification 4.3; the members from `nulls` on are our additions. */
export const FilterRequest = Type.Object(
  {
    known_input: KnownInput,
    unknown_input: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 100,
        description:
          'paths at and below which fields are columns; any other field that `known_input` lacks is missing. Default, and for an empty list: all',
      }),
    ),
    target_results: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_NAMES,
      description: 'result codes that count as a match',
    }),
    format: Type.Optional(FilterFormat),
    field_mapping: Type.Optional(FieldMapping),
    max_paths: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 100,
        description: 'maximum number of paths to a target; 0 is unlimited',
      }),
    ),
    nulls: Type.Optional(
      Type.Enum(['sql', 'match_rules'], {
        default: 'sql',
        description:
          "`match_rules` adds the rules' handling of null, so that the rows are exactly those that the rules select",
      }),
    ),
    not_null: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_NAMES, description: 'columns without nulls' })),
    columns: Type.Optional(Columns),
    dialect: Type.Optional(
      Type.Enum(['ansi', 'postgres', 'mysql', 'sqlite', 'clickhouse', 'duckdb'], {
        default: 'ansi',
        description: '`sql` only',
      }),
    ),
    parameters: Type.Optional(
      Type.Boolean({ default: false, description: '`sql` only: placeholders, and their values in `params`' }),
    ),
  },
  { title: 'FilterRequest', examples: [{ known_input: {}, target_results: ['ADULT'] }] },
)

/** Answer of `POST /rulesets/:name/filter`. */
export const FilterResult = Type.Object(
  {
    format: FilterFormat,
    filter: Type.Union([Type.String(), Type.Object({}, { additionalProperties: true }), Type.Null()], {
      description: 'null: no row can match',
    }),
    always_matches: Type.Boolean(),
    never_matches: Type.Boolean(),
    truncated: Type.Boolean({ description: 'the rules were not followed to their end: every row passes' }),
    unknown_fields: Type.Array(Type.String()),
    exactness: Type.Enum(['exact', 'superset', 'subset', 'approximate'], {
      description: '`superset`: rows may be too many; `subset`: some may be missing; `approximate`: both',
    }),
    reasons: Type.Optional(Type.Array(Type.String(), { description: 'why it is not exact' })),
    params: Type.Optional(Type.Array(Type.Unknown())),
  },
  {
    title: 'FilterResult',
    examples: [
      {
        format: 'sql',
        filter: '"age" >= 18',
        always_matches: false,
        never_matches: false,
        truncated: false,
        unknown_fields: ['age'],
        exactness: 'exact',
      },
    ],
  },
)

/** Request of `POST /rulesets/:name/sql`. */
export const SqlRequest = Type.Object(
  {
    dialect: Type.Enum(['postgres', 'duckdb', 'clickhouse', 'spark', 'trino']),
    table: Type.Optional(Type.String({ default: 'input', description: 'the table whose rows are decided' })),
    field_mapping: Type.Optional(FieldMapping),
    known_input: Type.Optional(KnownInput),
    columns: Type.Optional(Columns),
  },
  { title: 'SqlRequest', examples: [{ dialect: 'postgres', table: 'customers' }] },
)

/** Answer of `POST /rulesets/:name/sql`. */
export const SqlResult = Type.Object(
  {
    dialect: Type.String(),
    sql: Type.String({ description: 'one SELECT: the columns of the table, `code`, `message` and each output field' }),
    outputs: Type.Array(Type.String()),
    unknown_fields: Type.Array(Type.String()),
    reasons: Type.Optional(
      Type.Array(Type.String(), {
        description: 'where the database may decide differently from the rules; stating `columns` resolves it',
      }),
    ),
  },
  { title: 'SqlResult' },
)
