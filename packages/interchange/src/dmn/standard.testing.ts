import { dmnText, type WrittenDecision, type WrittenTable } from './model.testing.ts'
import { PUBLISHED } from './published-examples.testing.ts'
import { one, type StandardCase } from './standard-case.testing.ts'

const DISCOUNT: WrittenTable = {
  inputs: [
    ['Customer', 'string'],
    ['Order size', 'number'],
  ],
  outputs: [{ type: 'number' }],
  rules: [
    ['"Business"', '< 10', '0.1'],
    ['"Business"', '>= 10', '0.15'],
    ['"Private"', '-', '0.05'],
  ],
}

const POINTS: Pick<WrittenTable, 'inputs' | 'rules'> = {
  inputs: [['Age', 'number']],
  rules: [
    ['>= 18', '10'],
    ['>= 30', '20'],
    ['[60..120)', '20'],
  ],
}
const NUMBER = [{ type: 'number' }]
const AGE = [['Age', 'number']] as const

/** Levels ordered by urgency. */
const LEVELS: WrittenTable = {
  inputs: [
    ['Age', 'number'],
    ['Risk', 'string'],
  ],
  outputs: [{ type: 'string', values: '"Declined","Refer","Approved"' }],
  rules: [
    ['>= 18', 'not("high")', '"Approved"'],
    ['< 18', '-', '"Declined"'],
    ['-', '"high", "medium"', '"Refer"'],
  ],
}
const RISKY = [
  ['Age', 'number'],
  ['Risk', 'string'],
] as const

const levels = (hitPolicy: string, results: StandardCase['results']) =>
  one(`priorities, ${hitPolicy}`, RISKY, { ...LEVELS, hitPolicy }, results)

const points = (hitPolicy: string, aggregation: string, results: StandardCase['results']) =>
  one(
    `${hitPolicy} ${aggregation}`,
    AGE,
    { ...POINTS, hitPolicy, ...(aggregation !== '' && { aggregation }), outputs: NUMBER },
    results,
  )

const CHAIN: readonly WrittenDecision[] = [
  {
    name: 'Approval',
    requires: ['Risk category', 'Debt-to-income', 'Monthly income'],
    table: {
      inputs: [['Risk category.level'], ['Debt-to-income', 'number'], ['Monthly income * 12']],
      outputs: [
        { name: 'approved', type: 'boolean' },
        { name: 'reason', type: 'string', byDefault: '"none fits"' },
      ],
      rules: [
        ['"low"', '<= 0.4', '-', 'true', '"low risk"'],
        ['"high"', '-', '> 100000', 'true', '"income of " + Risk category.note'],
        ['"high"', '-', '<= 100000', 'false', '"high risk"'],
      ],
    },
  },
  { name: 'Debt-to-income', type: 'number', requires: ['Debt', 'Monthly income'], expression: 'Debt / Monthly income' },
  {
    name: 'Risk category',
    requires: ['Debt-to-income', 'Age'],
    table: {
      hitPolicy: 'FIRST',
      inputs: [
        ['Debt-to-income', 'number'],
        ['Age', 'number'],
      ],
      outputs: [{ name: 'level' }, { name: 'note' }],
      rules: [
        ['> 1', '-', '"high"', '"debt"'],
        ['-', '< 21', '"high"', '"youth"'],
        ['-', '-', '"low"', '""'],
      ],
    },
  },
]

export const STANDARD: readonly StandardCase[] = [
  one(
    'unique, a number for a text and an interval',
    [
      ['Customer', 'string'],
      ['Order size', 'number'],
    ],
    DISCOUNT,
    [
      [{ Customer: 'Business', 'Order size': 9 }, { Result: 0.1 }],
      [{ Customer: 'Business', 'Order size': 10 }, { Result: 0.15 }],
      [{ Customer: 'Private', 'Order size': 500 }, { Result: 0.05 }],
      [{ Customer: 'Private' }, { Result: 0.05 }],
      [{ Customer: 'Government', 'Order size': 1 }, { Result: null }],
      [{ 'Order size': 1 }, { Result: null }],
    ],
  ),
  points('UNIQUE', '', [
    [{ Age: 17 }, { Result: null }],
    [{ Age: 18 }, { Result: 10 }],
    [{ Age: 30 }, { error: '`to_number`: `rows r1, r2 of table `_Result` match` is not a number (step `_Result`)' }],
  ]),
  points('FIRST', '', [[{ Age: 61 }, { Result: 10 }]]),
  points('ANY', '', [
    [{ Age: 18 }, { Result: 10 }],
    [{ Age: 17 }, { Result: null }],
    [
      { Age: 31 },
      {
        error:
          '`to_number`: `rules of `Result` that match have different outputs` is not a number (step `_Result~result`)',
      },
    ],
  ]),
  points('RULE ORDER', '', [
    [{ Age: 61 }, { Result: [10, 20, 20] }],
    [{ Age: 120 }, { Result: [10, 20] }],
    [{ Age: 3 }, { Result: [] }],
  ]),
  points('COLLECT', '', [[{ Age: 31 }, { Result: [10, 20] }]]),
  one(
    'a default output of several outputs in the place of an empty list',
    AGE,
    {
      hitPolicy: 'RULE ORDER',
      inputs: [['Age', 'number']],
      outputs: [{ name: 'fee', byDefault: '7' }, { name: 'note' }],
      rules: [['> 1', '1', '"a"']],
    },
    [
      [{ Age: 2 }, { Result: [{ fee: 1, note: 'a' }] }],
      [{ Age: 1 }, { Result: { fee: 7, note: null } }],
    ],
  ),
  one(
    'a default output that is null in the place of an empty list',
    AGE,
    { hitPolicy: 'COLLECT', inputs: [['Age', 'number']], outputs: [{ byDefault: 'null' }], rules: [['> 1', '1']] },
    [
      [{ Age: 2 }, { Result: [1] }],
      [{ Age: 1 }, { Result: null }],
    ],
  ),
  points('COLLECT', 'SUM', [
    [{ Age: 61 }, { Result: 50 }],
    [{ Age: 1 }, { Result: null }],
  ]),
  points('COLLECT', 'MIN', [
    [{ Age: 61 }, { Result: 10 }],
    [{ Age: 1 }, { Result: null }],
  ]),
  points('COLLECT', 'MAX', [[{ Age: 61 }, { Result: 20 }]]),
  points('COLLECT', 'COUNT', [
    [{ Age: 61 }, { Result: 3 }],
    [{ Age: 1 }, { Result: 0 }],
  ]),
  levels('PRIORITY', [
    [{ Age: 40, Risk: 'low' }, { Result: 'Approved' }],
    [{ Age: 40, Risk: 'medium' }, { Result: 'Refer' }],
    [{ Age: 4, Risk: 'medium' }, { Result: 'Declined' }],
    [{ Age: null, Risk: 'x' }, { Result: null }],
  ]),
  levels('OUTPUT ORDER', [
    [{ Age: 4, Risk: 'high' }, { Result: ['Declined', 'Refer'] }],
    [{ Age: 40, Risk: 'medium' }, { Result: ['Refer', 'Approved'] }],
  ]),
  one(
    'several outputs of every rule that matches are contexts',
    AGE,
    {
      hitPolicy: 'RULE ORDER',
      inputs: [['Age', 'number']],
      outputs: [{ name: 'fee' }, { name: 'note' }],
      rules: [
        ['> 1', '1', '"a"'],
        ['> 2', 'Age * 2', ''],
      ],
    },
    [
      [
        { Age: 3 },
        {
          Result: [
            { fee: 1, note: 'a' },
            { fee: 6, note: null },
          ],
        },
      ],
    ],
  ),
  one(
    'a default output counts when no rule matches',
    AGE,
    { inputs: [['Age', 'number']], outputs: [{ byDefault: '"none"' }], rules: [['(1..2)', '"x"']] },
    [
      [{ Age: 1.5 }, { Result: 'x' }],
      [{ Age: 2 }, { Result: 'none' }],
    ],
  ),
  one(
    'days and times compare as texts of ISO 8601',
    [
      ['Day', 'date'],
      ['At', 'time'],
    ],
    {
      inputs: [
        ['Day', 'date'],
        ['At', 'time'],
      ],
      outputs: [{ type: 'date' }],
      rules: [
        ['< date("2026-01-01")', '-', 'date("2025-12-31")'],
        ['[@"2026-01-01"..@"2026-06-30"]', '>= time("12:00:00")', '@"2026-06-30"'],
        ['date("2026-12-24"), date("2026-12-25")', '-', 'Day'],
      ],
    },
    [
      [{ Day: '2025-02-01', At: '00:00:00' }, { Result: '2025-12-31' }],
      [{ Day: '2026-02-01', At: '11:59:59' }, { Result: null }],
      [{ Day: '2026-02-01', At: '12:00:00' }, { Result: '2026-06-30' }],
      [{ Day: '2026-12-25' }, { Result: '2026-12-25' }],
    ],
  ),
  one(
    'input entries of every form',
    [['x'], ['limit', 'number']],
    {
      hitPolicy: 'RULE ORDER',
      inputs: [['x']],
      outputs: [{}],
      rules: [
        ['null', '"null"'],
        ['not(null)', '"not null"'],
        ['1, 2, [10..20]', '"some"'],
        ['not(1, > 5)', '"small"'],
        ['> limit', '"above"'],
        ['? > 3 and (? < 5 or not(? != 7))', '"odd"'],
        ['? between 1 and 2', '"between"'],
        ['? in (<= 1, 9)', '"in"'],
        [']1..2[', '"open"'],
      ],
    },
    [
      [{ x: 1, limit: 4 }, { Result: ['not null', 'some', 'between', 'in'] }],
      [{ x: 1.5, limit: 4 }, { Result: ['not null', 'small', 'between', 'open'] }],
      [{ x: 7, limit: 4 }, { Result: ['not null', 'above', 'odd'] }],
      [{ x: 15, limit: null }, { Result: ['not null', 'some'] }],
      [{ x: null, limit: 1 }, { Result: ['null'] }],
      [{ limit: 1 }, { Result: ['null'] }],
    ],
  ),
  one(
    'output entries of every form',
    [
      ['a', 'number'],
      ['Full name', 'string'],
      ['vip', 'boolean'],
    ],
    {
      hitPolicy: 'RULE ORDER',
      inputs: [['a']],
      outputs: [{}],
      rules: [
        ['-', '-(a + 1) * 2 ** 3 / 4'],
        ['-', '"Dear " + Full name // greeting'],
        ['-', 'if vip and a > 1 then "gold" else if not(vip) then "plain" else "none"'],
        ['-', '[a, null, {"k e y": a, b: [true]}]'],
        ['-', 'upper case(Full name)'],
        ['-', '"\\"\\u00e9\\n"'],
        ['-', 'starts with(Full name, "A") or contains(Full name, "z")'],
        ['-', '12345678901234567890'],
        ['-', 'count([a, a]) + sum([a, 4]) * mean([1, a])'],
        ['-', '[min([a, 4]), max([a, 4]), max([])]'],
        ['-', '[min(a, 4), max(a, 4, 5), sum(a, 1), mean(a, 5)]'],
      ],
    },
    [
      [
        { a: 3, 'Full name': 'Ada', vip: true },
        {
          Result: [
            -8,
            'Dear Ada',
            'gold',
            [3, null, { 'k e y': 3, b: [true] }],
            'ADA',
            '"é\n',
            true,
            12345678901234567890n,
            16,
            [3, 4, null],
            [3, 5, 4, 4],
          ],
        },
      ],
    ],
  ),
  {
    title: 'decisions that require each other are steps in order',
    document: dmnText(CHAIN, [
      ['Debt', 'number'],
      ['Monthly income', 'number'],
      ['Age', 'number'],
    ]),
    results: [
      [
        { Debt: 100, 'Monthly income': 1000, Age: 40 },
        { approved: true, reason: 'low risk' },
      ],
      [
        { Debt: 100, 'Monthly income': 10_000, Age: 20 },
        { approved: true, reason: 'income of youth' },
      ],
      [
        { Debt: 2000, 'Monthly income': 1000, Age: 40 },
        { approved: false, reason: 'high risk' },
      ],
      [
        { Debt: 500, 'Monthly income': 1000, Age: 40 },
        { approved: null, reason: 'none fits' },
      ],
    ],
  },
  {
    title: 'a context gives its entries',
    document: dmnText([{ name: 'C', expression: '{ total: a.b.c * 2, list: [a.b.c] }', requires: ['a'] }], [['a']]),
    results: [[{ a: { b: { c: 2 } } }, { total: 4, list: [2] }]],
  },
  ...PUBLISHED,
]
