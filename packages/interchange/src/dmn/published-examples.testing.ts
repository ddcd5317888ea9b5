import { dmnText, type WrittenDecision, type WrittenTable } from './model.testing.ts'
import { one, type StandardCase } from './standard-case.testing.ts'

/*
 * Decision tables modelled on OMG DMN 1.3, with their expected decisions: the hit policy examples of chapter 8, and the
 * loan strategy decisions of the example in chapter 11. Written without access to the document.
 */

const RATED = [
  ['Applicant Age', 'number'],
  ['Medical History', 'string'],
] as const
const HISTORY = RATED.map(([name, type]) => [name, type] as const)

const STAFF = [
  ['Age', 'number'],
  ['Years of Service', 'number'],
] as const

const HOLIDAYS: WrittenTable = {
  inputs: STAFF,
  outputs: [{ type: 'number', values: '22, 5, 3, 2' }],
  rules: [
    ['-', '-', '22'],
    ['>= 60', '-', '3'],
    ['-', '>= 30', '3'],
    ['< 18', '-', '5'],
    ['>= 60', '-', '5'],
    ['-', '>= 30', '5'],
    ['[18..60)', '[15..30)', '2'],
    ['[45..60)', '< 30', '2'],
  ],
}

const holidays = (hitPolicy: string, aggregation: string, result: number | readonly number[]) =>
  one(
    `holidays, ${hitPolicy} ${aggregation}`,
    STAFF,
    { ...HOLIDAYS, hitPolicy, ...(aggregation !== '' && { aggregation }) },
    [[{ Age: 58, 'Years of Service': 31 }, { Result: result }]],
  )

const LOAN: readonly WrittenDecision[] = [
  {
    name: 'Strategy',
    requires: ['Eligibility', 'Bureau call type'],
    table: {
      inputs: [
        ['Eligibility', 'string'],
        ['Bureau call type', 'string'],
      ],
      outputs: [{ type: 'string' }],
      rules: [
        ['"INELIGIBLE"', '-', '"DECLINE"'],
        ['"ELIGIBLE"', '"FULL", "MINI"', '"BUREAU"'],
        ['"ELIGIBLE"', '"NONE"', '"THROUGH"'],
      ],
    },
  },
  {
    name: 'Bureau call type',
    requires: ['Pre-bureau risk category'],
    table: {
      inputs: [['Pre-bureau risk category', 'string']],
      outputs: [{ type: 'string' }],
      rules: [
        ['"HIGH", "MEDIUM"', '"FULL"'],
        ['"LOW"', '"MINI"'],
        ['"VERY LOW", "DECLINE"', '"NONE"'],
      ],
    },
  },
  {
    name: 'Eligibility',
    requires: ['Pre-bureau risk category', 'Pre-bureau affordability', 'Applicant data'],
    table: {
      hitPolicy: 'PRIORITY',
      inputs: [
        ['Pre-bureau risk category', 'string'],
        ['Pre-bureau affordability', 'boolean'],
        ['Applicant data.Age', 'number'],
      ],
      outputs: [{ type: 'string', values: '"INELIGIBLE", "ELIGIBLE"' }],
      rules: [
        ['"DECLINE"', '-', '-', '"INELIGIBLE"'],
        ['-', 'false', '-', '"INELIGIBLE"'],
        ['-', '-', '< 18', '"INELIGIBLE"'],
        ['-', '-', '-', '"ELIGIBLE"'],
      ],
    },
  },
  {
    name: 'Pre-bureau affordability',
    type: 'boolean',
    requires: ['Applicant data', 'Credit contingency factor', 'Required monthly installment'],
    expression:
      '(Applicant data.Income - (Applicant data.Repayments + Applicant data.Expenses)) * Credit contingency factor > Required monthly installment',
  },
  {
    name: 'Credit contingency factor',
    requires: ['Pre-bureau risk category'],
    table: {
      inputs: [['Pre-bureau risk category', 'string']],
      outputs: [{ type: 'number' }],
      rules: [
        ['"HIGH", "DECLINE"', '0.6'],
        ['"MEDIUM"', '0.7'],
        ['"LOW", "VERY LOW"', '0.8'],
      ],
    },
  },
  {
    name: 'Pre-bureau risk category',
    requires: ['Applicant data', 'Application risk score'],
    table: {
      inputs: [
        ['Applicant data.ExistingCustomer', 'boolean'],
        ['Application risk score', 'number'],
      ],
      outputs: [{ type: 'string' }],
      rules: [
        ['false', '< 100', '"HIGH"'],
        ['false', '[100..120)', '"MEDIUM"'],
        ['false', '[120..130]', '"LOW"'],
        ['false', '> 130', '"VERY LOW"'],
        ['true', '< 80', '"DECLINE"'],
        ['true', '[80..90)', '"HIGH"'],
        ['true', '[90..110]', '"MEDIUM"'],
        ['true', '> 110', '"LOW"'],
      ],
    },
  },
  {
    name: 'Application risk score',
    requires: ['Applicant data'],
    table: {
      hitPolicy: 'COLLECT',
      aggregation: 'SUM',
      inputs: [
        ['Applicant data.Age', 'number'],
        ['Applicant data.MaritalStatus', 'string'],
        ['Applicant data.EmploymentStatus', 'string'],
      ],
      outputs: [{ type: 'number' }],
      rules: [
        ['[18..21]', '-', '-', '32'],
        ['[22..25]', '-', '-', '35'],
        ['[26..35]', '-', '-', '40'],
        ['[36..49]', '-', '-', '43'],
        ['>= 50', '-', '-', '48'],
        ['-', '"S"', '-', '25'],
        ['-', '"M"', '-', '45'],
        ['-', '-', '"UNEMPLOYED"', '15'],
        ['-', '-', '"STUDENT"', '18'],
        ['-', '-', '"EMPLOYED"', '45'],
        ['-', '-', '"SELF-EMPLOYED"', '36'],
      ],
    },
  },
]

/** The applicant of chapter 11, with overrides. */
const applicant = (rest: object = {}) => ({
  'Applicant data': {
    Age: 51,
    MaritalStatus: 'M',
    EmploymentStatus: 'EMPLOYED',
    ExistingCustomer: false,
    Income: 10_000,
    Repayments: 2500,
    Expenses: 3000,
    ...rest,
  },
  'Required monthly installment': 1680.88,
})

export const PUBLISHED: readonly StandardCase[] = [
  one(
    'applicant risk rating, unique',
    RATED,
    {
      inputs: HISTORY,
      outputs: [{ type: 'string' }],
      rules: [
        ['> 60', '"good"', '"Medium"'],
        ['> 60', '"bad"', '"High"'],
        ['[25..60]', '-', '"Medium"'],
        ['< 25', '"good"', '"Low"'],
        ['< 25', '"bad"', '"Medium"'],
      ],
    },
    [
      [{ 'Applicant Age': 61, 'Medical History': 'good' }, { Result: 'Medium' }],
      [{ 'Applicant Age': 61, 'Medical History': 'bad' }, { Result: 'High' }],
      [{ 'Applicant Age': 25, 'Medical History': 'bad' }, { Result: 'Medium' }],
      [{ 'Applicant Age': 24, 'Medical History': 'good' }, { Result: 'Low' }],
    ],
  ),
  one(
    'applicant risk rating, priority',
    RATED,
    {
      hitPolicy: 'PRIORITY',
      inputs: HISTORY,
      outputs: [{ type: 'string', values: '"High", "Medium", "Low"' }],
      rules: [
        ['>= 25', '"good"', '"Medium"'],
        ['> 60', '"bad"', '"High"'],
        ['-', '"bad"', '"Medium"'],
        ['< 25', '"good"', '"Low"'],
      ],
    },
    [
      [{ 'Applicant Age': 61, 'Medical History': 'bad' }, { Result: 'High' }],
      [{ 'Applicant Age': 60, 'Medical History': 'bad' }, { Result: 'Medium' }],
      [{ 'Applicant Age': 24, 'Medical History': 'good' }, { Result: 'Low' }],
    ],
  ),
  one(
    'person loan compliance, any',
    [
      ['Rating', 'string'],
      ['Card Balance', 'number'],
      ['Education Loan Balance', 'number'],
    ],
    {
      hitPolicy: 'ANY',
      inputs: [
        ['Rating', 'string'],
        ['Card Balance', 'number'],
        ['Education Loan Balance', 'number'],
      ],
      outputs: [{ type: 'string' }],
      rules: [
        ['"A"', '< 10000', '< 50000', '"Compliant"'],
        ['not("A")', '-', '-', '"Not Compliant"'],
        ['-', '>= 10000', '-', '"Not Compliant"'],
        ['-', '-', '>= 50000', '"Not Compliant"'],
      ],
    },
    [
      [{ Rating: 'A', 'Card Balance': 0, 'Education Loan Balance': 49_999 }, { Result: 'Compliant' }],
      [{ Rating: 'B', 'Card Balance': 10_000, 'Education Loan Balance': 0 }, { Result: 'Not Compliant' }],
      [{ Rating: 'A', 'Card Balance': 10_000, 'Education Loan Balance': 50_000 }, { Result: 'Not Compliant' }],
    ],
  ),
  one(
    'special discount, first',
    [
      ['Type of Order', 'string'],
      ['Customer Location', 'string'],
      ['Type of Customer', 'string'],
    ],
    {
      hitPolicy: 'FIRST',
      inputs: [
        ['Type of Order', 'string'],
        ['Customer Location', 'string'],
        ['Type of Customer', 'string'],
      ],
      outputs: [{ type: 'number' }],
      rules: [
        ['"Web"', '"US"', '"Wholesaler"', '10'],
        ['"Phone"', '-', '-', '0'],
        ['-', '"Non-US"', '-', '0'],
        ['-', '-', '"Retailer"', '5'],
      ],
    },
    [
      [{ 'Type of Order': 'Web', 'Customer Location': 'US', 'Type of Customer': 'Wholesaler' }, { Result: 10 }],
      [{ 'Type of Order': 'Phone', 'Customer Location': 'US', 'Type of Customer': 'Retailer' }, { Result: 0 }],
      [{ 'Type of Order': 'Web', 'Customer Location': 'Non-US', 'Type of Customer': 'Retailer' }, { Result: 0 }],
      [{ 'Type of Order': 'Web', 'Customer Location': 'US', 'Type of Customer': 'Retailer' }, { Result: 5 }],
    ],
  ),
  holidays('OUTPUT ORDER', '', [22, 5, 3]),
  holidays('RULE ORDER', '', [22, 3, 5]),
  holidays('COLLECT', 'SUM', 30),
  holidays('COLLECT', 'MIN', 3),
  holidays('COLLECT', 'MAX', 22),
  holidays('COLLECT', 'COUNT', 3),
  one(
    'student financial package eligibility, rule order',
    [
      ['Student GPA', 'number'],
      ['Activities Count', 'number'],
      ['Honor Society Membership', 'string'],
    ],
    {
      hitPolicy: 'RULE ORDER',
      inputs: [
        ['Student GPA', 'number'],
        ['Activities Count', 'number'],
        ['Honor Society Membership', 'string'],
      ],
      outputs: [{ type: 'string' }],
      rules: [
        ['> 3.5', '>= 4', '"Yes"', '"20% Scholarship"'],
        ['> 3.0', '-', '"Yes"', '"30% Loan"'],
        ['> 3.0', '>= 2', '"No"', '"20% Work-On-Campus"'],
        ['<= 3.0', '-', '-', '"5% Work-On-Campus"'],
      ],
    },
    [
      [
        { 'Student GPA': 3.6, 'Activities Count': 4, 'Honor Society Membership': 'Yes' },
        { Result: ['20% Scholarship', '30% Loan'] },
      ],
      [
        { 'Student GPA': 3, 'Activities Count': 0, 'Honor Society Membership': 'No' },
        { Result: ['5% Work-On-Campus'] },
      ],
    ],
  ),
  {
    title: 'the strategy of a loan',
    document: dmnText(LOAN, [['Applicant data'], ['Required monthly installment', 'number']]),
    results: [
      [applicant(), { Strategy: 'THROUGH' }],
      [applicant({ MaritalStatus: 'S' }), { Strategy: 'BUREAU' }],
      [applicant({ Age: 17 }), { Strategy: 'DECLINE' }],
      [applicant({ Income: 6000 }), { Strategy: 'DECLINE' }],
      [
        applicant({ ExistingCustomer: true, EmploymentStatus: 'UNEMPLOYED', MaritalStatus: 'S', Age: 20 }),
        { Strategy: 'DECLINE' },
      ],
    ],
  },
]
