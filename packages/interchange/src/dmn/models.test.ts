import { expect, test } from 'vitest'
import { lossLines, stepLines } from '../jdm/documents.testing.ts'
import { type DmnOptions, fromDmn } from './from-dmn.ts'
import { ModelLibrary } from './model-library.ts'
import { dmnText, modelText, type WrittenDecision, type WrittenTable } from './model.testing.ts'

const INPUTS = [
  ['n', 'number'],
  ['s', 'string'],
  ['day', 'date'],
  ['wait', 'dayTimeDuration'],
  ['l', 'tNumbers'],
  ['x'],
  ['at', 'dateTime'],
] as const
const REQUIRES = INPUTS.map(([name]) => name)
const TYPES =
  '<itemDefinition name="tNumbers" isCollection="true"><typeRef>number</typeRef></itemDefinition>' +
  '<itemDefinition name="tSmall"><typeRef>number</typeRef><allowedValues><text>[1..9]</text></allowedValues></itemDefinition>' +
  '<itemDefinition name="tSmalls" isCollection="true"><typeRef>number</typeRef><allowedValues><text>[1..9]</text></allowedValues></itemDefinition>' +
  '<itemDefinition name="tPair"><itemComponent name="a"><typeRef>number</typeRef></itemComponent><itemComponent name="b"><typeRef>string</typeRef></itemComponent></itemDefinition>' +
  '<itemDefinition name="tBounded"><itemComponent name="a"><typeRef>number</typeRef><allowedValues><text>1</text></allowedValues></itemComponent></itemDefinition>' +
  '<itemDefinition name="tFunction"><functionItem/></itemDefinition>'

const of = (decision: Omit<WrittenDecision, 'name'>, ...others: readonly WrittenDecision[]) =>
  dmnText([{ name: 'D', requires: REQUIRES, ...decision }, ...others], INPUTS, { extra: TYPES })
const TABLE: WrittenTable = {
  inputs: [['n', 'number']],
  outputs: [{ name: 'fee', type: 'number' }],
  rules: [
    ['> 3', '1'],
    ['-', '2'],
  ],
}
const tableOf = (table: Partial<WrittenTable>) => of({ table: { ...TABLE, ...table } })
const TWO = [{ name: 'fee', type: 'number' }, { name: 'why' }] as const
const TWO_RULES = [
  ['> 3', '1', '"big"'],
  ['-', '2', '"rest"'],
]
const RANKED = [{ name: 'fee', type: 'number', values: '2, 1' }] as const
const text = (tag: string, content: string) => `<${tag}><text>${content}</text></${tag}>`
const column = (content: string, more = '') => `<input>${text('inputExpression', content)}${more}</input>`
const rule = (inputs: readonly string[], outputs: readonly string[], attributes = '') =>
  `<rule${attributes}>${inputs.map((one) => text('inputEntry', one)).join('')}${outputs.map((one) => text('outputEntry', one)).join('')}</rule>`
const xmlTable = (content: string) => of({ xml: `<decisionTable>${content}</decisionTable>` })
const literal = (content: string) => text('literalExpression', content)

/** A decision and the function `f` with this logic. */
const withModel = (logic: string, xml: string) =>
  dmnText([{ name: 'D', requires: REQUIRES, xml }], INPUTS, {
    extra: `${TYPES}<businessKnowledgeModel id="f" name="f"><variable name="f"/><encapsulatedLogic>${logic}</encapsulatedLogic></businessKnowledgeModel>`,
  })
const knows = '<knowledgeRequirement><requiredKnowledge href="#f"/></knowledgeRequirement>'
const PARAMETER = '<formalParameter name="p" typeRef="number"/>'
/** A function that is a table of two rules, the second of which gives 2. */
const tableModel = (attributes: string, first = '1', ofOutput = '') =>
  `${PARAMETER}<decisionTable${attributes}>${column('p')}<output>${ofOutput}</output>${rule(['&gt; 3'], [first])}${rule(['-'], ['2'])}</decisionTable>`
/** The decisions `D` and `E`, and a service `S` whose result is `D`. */
const service = (decision: Omit<WrittenDecision, 'name'>, parts: string) =>
  dmnText(
    [
      { name: 'D', requires: ['E'], expression: 'E * 2', ...decision },
      { name: 'E', requires: ['n'], expression: 'n + 1' },
    ],
    INPUTS,
    { extra: `<decisionService id="S" name="S"><outputDecision href="#_D"/>${parts}</decisionService>` },
  )

interface Converted {
  readonly title: string
  readonly document: string
  readonly options?: DmnOptions
  /** The steps of each ruleset. */
  readonly steps: readonly string[]
  readonly lost?: readonly string[]
}

const CONVERTED: readonly Converted[] = [
  {
    title: 'a table without a hit policy',
    document: tableOf({}),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table of two outputs',
    document: tableOf({ outputs: TWO, rules: TWO_RULES }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D_1: number, o2 output D_2) | r1: i1 > 3, o1 1, o2 "big" | r2: o1 2, o2 "rest" | -> _D~result; else -> result',
      '_D~result "D": D = {"fee": $D_1, "why": $D_2} -> result',
      'result: DECIDED (fee = $D.fee, why = $D.why)',
    ],
  },
  {
    title: 'a table of two outputs with the policy FIRST',
    document: tableOf({ hitPolicy: 'FIRST', outputs: TWO, rules: TWO_RULES }),
    steps: [
      '* _D "D": first (i1 input n: number, o1 output D_1: number, o2 output D_2) | r1: i1 > 3, o1 1, o2 "big" | r2: o1 2, o2 "rest" | -> _D~result; else -> result',
      '_D~result "D": D = {"fee": $D_1, "why": $D_2} -> result',
      'result: DECIDED (fee = $D.fee, why = $D.why)',
    ],
  },
  {
    title: 'a table with a default',
    document: tableOf({ outputs: [{ name: 'fee', byDefault: '9' }] }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result; else -> _D~no-match',
      '_D~no-match "D": D = 9 -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table of two outputs of which one has a default',
    document: tableOf({ outputs: [{ name: 'fee' }, { name: 'why', byDefault: '"none"' }], rules: TWO_RULES }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D_1, o2 output D_2) | r1: i1 > 3, o1 1, o2 "big" | r2: o1 2, o2 "rest" | -> _D~result; else -> _D~no-match',
      '_D~result "D": D = {"fee": $D_1, "why": $D_2} -> result',
      '_D~no-match "D": D = {"fee": null, "why": "none"} -> result',
      'result: DECIDED (fee = $D.fee, why = $D.why)',
    ],
  },
  {
    title: 'a table of two outputs with defaults',
    document: tableOf({
      outputs: [
        { name: 'fee', byDefault: '9' },
        { name: 'why', byDefault: '"none"' },
      ],
      rules: TWO_RULES,
    }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D_1, o2 output D_2) | r1: i1 > 3, o1 1, o2 "big" | r2: o1 2, o2 "rest" | -> _D~result; else -> _D~no-match',
      '_D~result "D": D = {"fee": $D_1, "why": $D_2} -> result',
      '_D~no-match "D": D = {"fee": 9, "why": "none"} -> result',
      'result: DECIDED (fee = $D.fee, why = $D.why)',
    ],
  },
  {
    title: 'a table with the policy ANY',
    document: tableOf({ hitPolicy: 'ANY' }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> _D~result',
      '_D~result "D": D = if len(distinct($D)) > 1 then to_number("rules of `D` that match have different outputs") else if len($D) == 0 then null else $D[0] -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table with the policy ANY, two outputs and a default',
    document: tableOf({
      hitPolicy: 'ANY',
      outputs: [{ name: 'fee', byDefault: '9' }, { name: 'why' }],
      rules: TWO_RULES,
    }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D) | r1: i1 > 3, o1 {"fee": 1, "why": "big"} | r2: o1 {"fee": 2, "why": "rest"} | -> _D~result',
      '_D~result "D": D = if len(distinct($D)) > 1 then to_number("rules of `D` that match have different outputs") else if len($D) == 0 then {"fee": 9, "why": null} else $D[0] -> result',
      'result: DECIDED (fee = $D.fee, why = $D.why)',
    ],
  },
  {
    title: 'a table with the policy RULE ORDER',
    document: tableOf({ hitPolicy: 'RULE ORDER' }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that collects',
    document: tableOf({ hitPolicy: 'COLLECT' }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that collects two outputs',
    document: tableOf({ hitPolicy: 'COLLECT', outputs: TWO, rules: TWO_RULES }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D) | r1: i1 > 3, o1 {"fee": 1, "why": "big"} | r2: o1 {"fee": 2, "why": "rest"} | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that collects with a default',
    document: tableOf({ hitPolicy: 'COLLECT', outputs: [{ name: 'fee', byDefault: '9' }] }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D) | r1: i1 > 3, o1 1 | r2: o1 2 | -> _D~result',
      '_D~result "D": D = if len($D) == 0 then 9 else $D -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning default-output /_D in `D`: when no rule matches, the result is the default output itself, not in a list: DMN programs differ here',
    ],
  },
  {
    title: 'a table that sums',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'SUM' }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> _D~result',
      '_D~result "D": D = if len($D) == 0 then null else sum($D) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that sums outputs without a type',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'SUM', outputs: [{ name: 'fee' }] }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D) | r1: i1 > 3, o1 1 | r2: o1 2 | -> _D~result',
      '_D~result "D": D = if len($D) == 0 then null else sum($D) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that sums expressions without a type',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'SUM', outputs: [{ name: 'fee' }], rules: [['-', 'n']] }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error aggregation /_D in `D`: this aggregation is not supported: its outputs are not known to be numbers'],
  },
  {
    title: 'a table that sums negative numbers without a type',
    document: tableOf({
      hitPolicy: 'COLLECT',
      aggregation: 'SUM',
      outputs: [{ name: 'fee' }],
      rules: [
        ['-', '-1'],
        ['-', '.5'],
      ],
    }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D) | r1: o1 -1 | r2: o1 0.5 | -> _D~result',
      '_D~result "D": D = if len($D) == 0 then null else sum($D) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that sums texts',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'SUM', outputs: [{ name: 'fee' }], rules: [['-', '"a"']] }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error aggregation /_D in `D`: this aggregation is not supported: its outputs are not known to be numbers'],
  },
  {
    title: 'a table that sums with a default',
    document: tableOf({
      hitPolicy: 'COLLECT',
      aggregation: 'SUM',
      outputs: [{ name: 'fee', type: 'number', byDefault: '9' }],
    }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> _D~result',
      '_D~result "D": D = if len($D) == 0 then 9 else sum($D) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that sums with the default 0',
    document: tableOf({
      hitPolicy: 'COLLECT',
      aggregation: 'SUM',
      outputs: [{ name: 'fee', type: 'number', byDefault: '0' }],
    }),
    steps: [
      '* _D "D": collect sum (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table of the least value',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'MIN' }),
    steps: [
      '* _D "D": collect min (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table of the largest value',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'MAX' }),
    steps: [
      '* _D "D": collect max (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that counts',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'COUNT' }),
    steps: [
      '* _D "D": collect count (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that counts with a default',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'COUNT', outputs: [{ name: 'fee', byDefault: '9' }] }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D) | r1: i1 > 3, o1 1 | r2: o1 2 | -> _D~result',
      '_D~result "D": D = if len($D) == 0 then 9 else len($D) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that counts texts',
    document: tableOf({
      hitPolicy: 'COLLECT',
      aggregation: 'COUNT',
      outputs: [{ name: 'fee' }],
      rules: [['-', '"a"']],
    }),
    steps: [
      '* _D "D": collect count (i1 input n: number, o1 output D) | r1: o1 "a" | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that sums two outputs',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'SUM', outputs: TWO, rules: TWO_RULES }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error aggregation /_D in `D`: this aggregation is not supported: there are several outputs'],
  },
  {
    title: 'a table with an unknown aggregation',
    document: tableOf({ hitPolicy: 'COLLECT', aggregation: 'MEAN' }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error hit-policy /_D in `D`: unknown hit policy `COLLECT MEAN`'],
  },
  {
    title: 'a table with an aggregation of another policy',
    document: tableOf({ hitPolicy: 'FIRST', aggregation: 'SUM' }),
    steps: [
      '* _D "D": first (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table with an unknown hit policy',
    document: tableOf({ hitPolicy: 'BEST' }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error hit-policy /_D in `D`: unknown hit policy `BEST`'],
  },
  {
    title: 'a table with the hit policy toString',
    document: tableOf({ hitPolicy: 'toString' }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error hit-policy /_D in `D`: unknown hit policy `toString`'],
  },
  {
    title: 'a table with priorities',
    document: tableOf({ hitPolicy: 'PRIORITY', outputs: RANKED }),
    steps: [
      '* _D "D": first (i1 input n: number, o1 output D: number) | r2: o1 2 | r1: i1 > 3, o1 1 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table with priorities of two outputs',
    document: tableOf({
      hitPolicy: 'PRIORITY',
      outputs: [
        { name: 'fee', values: '1, 2' },
        { name: 'why', values: '"b", "a"' },
      ],
      rules: [
        ['-', '2', '"a"'],
        ['-', '1', '"a"'],
        ['-', '1', '"b"'],
        ['-', '2', '"b"'],
      ],
    }),
    steps: [
      '* _D "D": first (i1 input n: number, o1 output D_1, o2 output D_2) | r3: o1 1, o2 "b" | r2: o1 1, o2 "a" | r4: o1 2, o2 "b" | r1: o1 2, o2 "a" | -> _D~result; else -> result',
      '_D~result "D": D = {"fee": $D_1, "why": $D_2} -> result',
      'result: DECIDED (fee = $D.fee, why = $D.why)',
    ],
  },
  {
    title: 'a table with priorities of the second output',
    document: tableOf({
      hitPolicy: 'PRIORITY',
      outputs: [{ name: 'fee' }, { name: 'why', values: '"b", "a"' }],
      rules: [
        ['-', '2', '"a"'],
        ['-', '1', '"b"'],
      ],
    }),
    steps: [
      '* _D "D": first (i1 input n: number, o1 output D_1, o2 output D_2) | r2: o1 1, o2 "b" | r1: o1 2, o2 "a" | -> _D~result; else -> result',
      '_D~result "D": D = {"fee": $D_1, "why": $D_2} -> result',
      'result: DECIDED (fee = $D.fee, why = $D.why)',
    ],
  },
  {
    title: 'a table whose rules are equal in priority',
    document: tableOf({
      hitPolicy: 'PRIORITY',
      outputs: RANKED,
      rules: [
        ['> 1', '1'],
        ['> 2', '1'],
        ['-', '2'],
      ],
    }),
    steps: [
      '* _D "D": first (i1 input n: number, o1 output D: number) | r3: o1 2 | r1: i1 > 1, o1 1 | r2: i1 > 2, o1 1 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table whose rules are ordered by their outputs',
    document: tableOf({ hitPolicy: 'OUTPUT ORDER', outputs: RANKED }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D: number) | r2: o1 2 | r1: i1 > 3, o1 1 | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table with priorities without values',
    document: tableOf({ hitPolicy: 'PRIORITY' }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error no-priorities /_D in `D`: priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a table with priorities that lack a value',
    document: tableOf({ hitPolicy: 'PRIORITY', outputs: [{ name: 'fee', values: '1, 3' }] }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error no-priorities /_D in `D`: priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a table with priorities that are no literals',
    document: tableOf({ hitPolicy: 'PRIORITY', outputs: [{ name: 'fee', values: '> 1' }] }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error no-priorities /_D in `D`: priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a table with priorities that cannot be read',
    document: tableOf({ hitPolicy: 'PRIORITY', outputs: [{ name: 'fee', values: '1, (' }] }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error no-priorities /_D in `D`: priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a table whose input is an expression',
    document: tableOf({ inputs: [['n + 1', 'number']] }),
    steps: [
      '* _D~input "D": D_input_1 = n + 1 -> _D',
      '_D "D": unique (i1 input $D_input_1: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D/input/0 in `D`, `n + 1`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a table of two inputs that are expressions',
    document: tableOf({ inputs: [['n + 1'], ['n'], ['n * 2']], rules: [['1', '2', '3', '4']] }),
    steps: [
      '* _D~input "D": D_input_1 = n + 1, D_input_3 = n * 2 -> _D',
      '_D "D": unique (i1 input $D_input_1, i2 input n, i3 input $D_input_3, o1 output D: number) | r1: i1 1, i2 2, i3 3, o1 4 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D/input/0 in `D`, `n + 1`: a null operand or a division by zero fails instead of giving null',
      'warning arithmetic /_D/input/2 in `D`, `n * 2`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a table whose input has allowed values',
    document: xmlTable(`${column('n', text('inputValues', '1, 2'))}<output/>${rule(['1'], ['2'])}`),
    steps: [
      '* _D "D": unique (i1 input n, o1 output D) | r1: i1 1, o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning allowed-values /_D/input/0 in `D`, `n`: the allowed values of an input are not checked: declare them in a contract',
    ],
  },
  {
    title: 'a table whose input has no expression',
    document: xmlTable(`<input/><output/>${rule(['1'], ['2'])}`),
    steps: [
      '* _D "D": unique (i1 input input, o1 output D) | r1: i1 1, o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['error no-input-expression /_D/input/0 in `D`, input 1: the input has no expression'],
  },
  {
    title: 'a table whose input has an empty expression',
    document: xmlTable(`${column('')}<output/>${rule(['1'], ['2'])}`),
    steps: [
      '* _D "D": unique (i1 input input, o1 output D) | r1: i1 1, o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['error no-input-expression /_D/input/0 in `D`, input 1: the input has no expression'],
  },
  {
    title: 'a table whose input cannot be read',
    document: xmlTable(`${column('n +')}<output/>${rule(['1'], ['2'])}`),
    steps: [
      '* _D~input "D": D_input_1 = lost("n +") -> _D',
      '_D "D": unique (i1 input $D_input_1, o1 output D) | r1: i1 1, o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['error feel /_D/input/0 in `D`, `n +`: `n +` could not be converted: the expression ends too early'],
  },
  {
    title: 'a table of durations',
    document: xmlTable(`${column('wait')}<output/>${rule(['-'], ['2'])}`),
    steps: [
      '* _D "D": unique (i1 input wait, o1 output D) | r1: o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['error duration /_D/input/0 in `D`, `wait`: durations are texts here, which compare differently'],
  },
  {
    title: 'a table of a declared duration',
    document: tableOf({ inputs: [['x', 'dayTimeDuration']], rules: [['-', '1']] }),
    steps: [
      '* _D "D": unique (i1 input x, o1 output D: number) | r1: o1 1 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['error duration /_D/input/0 in `D`, `x`: durations are texts here, which compare differently'],
  },
  {
    title: 'a table of dates',
    document: tableOf({ inputs: [['day', 'date']], rules: [['< date("2024-01-01")', '1']] }),
    steps: [
      '* _D "D": unique (i1 input day: string, o1 output D: number) | r1: i1 < "2024-01-01", o1 1 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table without rules',
    document: tableOf({ rules: [] }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D: number) | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table without outputs',
    document: tableOf({ outputs: [], rules: [['1']] }),
    steps: [
      '* _D "D": unique (i1 input n: number) | r1: i1 1 | -> _D~result; else -> result',
      '_D~result "D": D = {} -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table without inputs',
    document: tableOf({ inputs: [], rules: [['1']] }),
    steps: [
      '* _D "D": unique (o1 output D: number) | r1: o1 1 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table of two outputs, of which one has no name',
    document: xmlTable(`${column('n')}<output name="a"/><output name=" "/>${rule(['1'], ['2', '3'])}`),
    steps: [
      '* _D "D": unique (i1 input n, o1 output D_1, o2 output D_2) | r1: i1 1, o1 2, o2 3 | -> _D~result; else -> result',
      '_D~result "D": D = {"a": $D_1, "D": $D_2} -> result',
      'result: DECIDED (a = $D.a, D = $D.D)',
    ],
    lost: [
      'error empty-name /_D/output/1 in `D`, output 2: the output has no name: a table of several outputs has a name for each',
    ],
  },
  {
    title: 'a table whose rule has too few entries',
    document: xmlTable(`${column('n')}${column('x')}<output/>${rule(['1'], [])}`),
    steps: [
      '* _D "D": unique (i1 input n, i2 input x, o1 output D) | r1: i1 1, o1 null | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'error entries /_D/rule/0 in `D`, rule 1: the rule has 1 input entry, and the table 2 inputs',
      'error entries /_D/rule/0 in `D`, rule 1: the rule has 0 output entries, and the table 1 output',
    ],
  },
  {
    title: 'a table whose rule has too many entries',
    document: xmlTable(`${column('n')}<output/>${rule(['1', '2'], ['3', '4'])}`),
    steps: [
      '* _D "D": unique (i1 input n, o1 output D) | r1: i1 1, o1 3 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'error entries /_D/rule/0 in `D`, rule 1: the rule has 2 input entries, and the table 1 input',
      'error entries /_D/rule/0 in `D`, rule 1: the rule has 2 output entries, and the table 1 output',
    ],
  },
  {
    title: 'a table whose output entry is empty',
    document: xmlTable(`${column('n')}<output/>${rule(['1'], [''])}`),
    steps: [
      '* _D "D": unique (i1 input n, o1 output D) | r1: i1 1, o1 null | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table whose rules have ids, one twice',
    document: xmlTable(
      `${column('n')}<output/>${rule(['1'], ['2'], ' id="a"')}${rule(['2'], ['3'], ' id="a"')}${rule(['3'], ['3'], ' id="b"')}`,
    ),
    steps: [
      '* _D "D": unique (i1 input n, o1 output D) | a: i1 1, o1 2 | a~2: i1 2, o1 3 | b: i1 3, o1 3 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table whose entries cannot be read',
    document: xmlTable(`${column('n')}<output/>${rule(['1 +'], ['2 +'])}${rule(['2'], ['3'])}`),
    steps: [
      '* _D "D": unique (i1 input n, o1 output D) | r1: i1 ? lost("1 +"), o1 lost("2 +") | r2: i1 2, o1 3 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'error feel /_D/rule/0/inputEntry/0 in `D`, rule 1, `n`: `1 +` could not be converted: the expression ends too early',
      'error feel /_D/rule/0/outputEntry/0 in `D`, rule 1, output 1: `2 +` could not be converted: the expression ends too early',
    ],
  },
  {
    title: 'a table whose default cannot be read',
    document: tableOf({ outputs: [{ name: 'fee', byDefault: '9 +' }] }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result; else -> _D~no-match',
      '_D~no-match "D": D = lost("9 +") -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['error feel /_D/output/0 in `D`, `fee`: `9 +` could not be converted: the expression ends too early'],
  },
  {
    title: 'a table whose entries deviate',
    document: tableOf({
      rules: [
        ['-', 'n / 2'],
        ['-', 'if n = x then 1 else 2'],
        ['-', 'n = x'],
      ],
    }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D: number) | r1: o1 n / 2 | r2: o1 if n == x then 1 else 2 | r3: o1 if n == x then true else if n != x then false else null | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D/rule/0/outputEntry/0 in `D`, rule 1, `fee`: a null operand or a division by zero fails instead of giving null',
      'warning comparison /_D/rule/2/outputEntry/0 in `D`, rule 3, `fee`: an equality of values of two types is false instead of null, and an order of them fails',
    ],
  },
  {
    title: 'a table that reads what no input declares',
    document: tableOf({ inputs: [['other']], rules: [['-', 'other + more']] }),
    steps: [
      '* _D "D": unique (i1 input other, o1 output D: number) | r1: o1 other + more | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning undeclared-name /_D/input/0 in `D`, `other`: the decision does not require `other`: it is treated as an input field',
      'warning undeclared-name /_D/rule/0/outputEntry/0 in `D`, rule 1, `fee`: the decision does not require `more`: it is treated as an input field',
      'warning arithmetic /_D/rule/0/outputEntry/0 in `D`, rule 1, `fee`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'an expression',
    document: of({ expression: 'n + 1' }),
    steps: ['* _D "D": D = n + 1 -> result', 'result: DECIDED (D = $D)'],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'an expression of a context',
    document: of({ expression: '{a: n, b: s}' }),
    steps: ['* _D "D": D = {"a": n, "b": s} -> result', 'result: DECIDED (a = $D.a, b = $D.b)'],
  },
  {
    title: 'an expression without a text',
    document: of({ expression: '' }),
    steps: ['* _D "D": D = lost("") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error no-logic /_D in `D`: the decision has no logic',
      'error feel /_D in `D`: `` could not be converted: the expression ends too early',
    ],
  },
  {
    title: 'an expression that cannot be read',
    document: of({ expression: 'n +' }),
    steps: ['* _D "D": D = lost("n +") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error feel /_D in `D`: `n +` could not be converted: the expression ends too early'],
  },
  {
    title: 'an expression that is a constant',
    document: of({ expression: '1 + 2' }),
    steps: ['* _D "D": D = 3 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'an expression that is a constant context',
    document: of({ expression: '{a: 1, b: [2]}' }),
    steps: ['* _D "D": D = {"a": 1, "b": [2]} -> result', 'result: DECIDED (a = $D.a, b = $D.b)'],
  },
  {
    title: 'an expression that is a constant date',
    document: of({ expression: 'date("2024-01-31") + duration("P1M")' }),
    steps: ['* _D "D": D = "2024-02-29" -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'an expression that is a list where a number is declared',
    document: of({ type: 'number', expression: 'l' }),
    steps: ['* _D "D": D = l -> result', 'result: DECIDED (D = $D)'],
    lost: ['error result-type /_D in `D`: whether the result has the type `number` is not known at import'],
  },
  {
    title: 'an expression that is a list where a list is declared',
    document: of({ type: 'tNumbers', expression: 'l' }),
    steps: ['* _D "D": D = l -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'an expression that is a number where a list is declared',
    document: of({ type: 'tNumbers', expression: 'n + 1' }),
    steps: ['* _D "D": D = n + 1 -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'error result-type /_D in `D`: whether the result has the type `tNumbers` is not known at import',
    ],
  },
  {
    title: 'an expression of a type that is not declared',
    document: of({ type: 'tNumbers', expression: 'x' }),
    steps: ['* _D "D": D = x -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a decision without logic',
    document: of({}),
    steps: ['* _D "D": D = lost("no logic") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error no-logic /_D in `D`: the decision has no logic'],
  },
  {
    title: 'a decision of an unknown expression',
    document: of({ xml: '<map/>' }),
    steps: ['* _D "D": D = lost("no logic") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error no-logic /_D in `D`: the decision has no logic'],
  },
  {
    title: 'a decision in another language',
    document: of({ xml: '<literalExpression expressionLanguage="juel"><text>n</text></literalExpression>' }),
    steps: ['* _D "D": D = lost("n") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error expression-language /_D in `D`: the language `juel` is not supported: only FEEL is'],
  },
  {
    title: 'a boxed list',
    document: of({ xml: `<list>${literal('n')}${literal('2')}</list>` }),
    steps: ['* _D "D": D = [n, 2] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a boxed list of constants',
    document: of({ xml: `<list>${literal('1')}${literal('2')}</list>` }),
    steps: ['* _D "D": D = [1, 2] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a boxed relation',
    document: of({
      xml: `<relation><column name="a"/><column name="b"/><row>${literal('n')}${literal('1')}</row><row>${literal('2')}${literal('s')}</row></relation>`,
    }),
    steps: ['* _D "D": D = [{"a": n, "b": 1}, {"a": 2, "b": s}] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a boxed relation of which a cell is missing',
    document: of({ xml: `<relation><column name="a"/><column name="b"/><row>${literal('n')}</row></relation>` }),
    steps: ['* _D "D": D = lost("relation") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `relation` could not be converted: a row of the relation has other cells than columns',
    ],
  },
  {
    title: 'a boxed relation of constants of which a cell is missing',
    document: of({ xml: `<relation><column name="a"/><column name="b"/><row>${literal('1')}</row></relation>` }),
    steps: ['* _D "D": D = [{"a": 1, "b": null}] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a boxed condition',
    document: of({
      xml: `<conditional><if>${literal('n = 1')}</if><then>${literal('2')}</then><else>${literal('3')}</else></conditional>`,
    }),
    steps: ['* _D "D": D = if n == 1 then 2 else 3 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a boxed condition without a part',
    document: of({ xml: `<conditional><if>${literal('n = 1')}</if><then>${literal('2')}</then></conditional>` }),
    steps: ['* _D "D": D = lost("conditional") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `conditional` could not be converted: a boxed expression has a part without logic',
    ],
  },
  {
    title: 'a boxed filter',
    document: of({ xml: `<filter><in>${literal('l')}</in><match>${literal('item = n')}</match></filter>` }),
    steps: ['* _D "D": D = filter(coalesce(l, []), each_1 => (each_1 == n)) -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a boxed filter without a test',
    document: of({ xml: `<filter><in>${literal('l')}</in></filter>` }),
    steps: ['* _D "D": D = lost("filter") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `filter` could not be converted: a boxed expression has a part without logic',
    ],
  },
  {
    title: 'a boxed iteration',
    document: of({
      xml: `<for iteratorVariable="i"><in>${literal('l')}</in><return>${literal('i + n')}</return></for>`,
    }),
    steps: [
      '* _D "D": D = if !is_null(l) then map(l, each_1 => (each_1 + n)) else null -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'a boxed iteration over a constant',
    document: of({
      xml: `<for iteratorVariable="i"><in>${literal('[1, 2]')}</in><return>${literal('i + 1')}</return></for>`,
    }),
    steps: ['* _D "D": D = [2, 3] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a boxed quantifier',
    document: of({
      xml: `<some iteratorVariable="i"><in>${literal('l')}</in><satisfies>${literal('i = n')}</satisfies></some>`,
    }),
    steps: [
      '* _D "D": D = if any(coalesce(l, []), each_1 => (each_1 == n)) then true else if (!is_null(l) && all(l, each_1 => (each_1 != n))) then false else null -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning comparison /_D in `D`: an equality of values of two types is false instead of null, and an order of them fails',
    ],
  },
  {
    title: 'a boxed quantifier whose test is no condition',
    document: of({
      xml: `<every iteratorVariable="i"><in>${literal('l')}</in><satisfies>${literal('i')}</satisfies></every>`,
    }),
    steps: ['* _D "D": D = lost("every") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `every` could not be converted: whether this test is a condition is not known at import',
    ],
  },
  {
    title: 'a boxed context',
    document: of({
      xml: `<context><contextEntry><variable name=" a "/>${literal('n')}</contextEntry><contextEntry><variable name="b"/>${literal('a + 1')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = {"a": n, "b": n + 1} -> result', 'result: DECIDED (a = $D.a, b = $D.b)'],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'a boxed context with a result',
    document: of({
      xml: `<context><contextEntry><variable name="a"/>${literal('n')}</contextEntry><contextEntry>${literal('a + 1')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = n + 1 -> result', 'result: DECIDED (D = $D)'],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'a boxed context of types',
    document: of({
      xml: `<context><contextEntry><variable name="a" typeRef="number"/>${literal('n')}</contextEntry><contextEntry><variable name="b" typeRef="Any"/>${literal('s')}</contextEntry><contextEntry><variable name="c" typeRef="string"/>${literal('null')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = {"a": n, "b": s, "c": null} -> result', 'result: DECIDED (a = $D.a, b = $D.b, c = $D.c)'],
  },
  {
    title: 'a boxed context with an entry of another type',
    document: of({
      xml: `<context><contextEntry><variable name="a" typeRef="number"/>${literal('s')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = lost("context") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `context` could not be converted: whether `a` has the type `number` is not known at import: declare the types of its operands',
    ],
  },
  {
    title: 'a boxed context with an entry of an unknown type',
    document: of({
      xml: `<context><contextEntry><variable name="a" typeRef="number"/>${literal('x')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = lost("context") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `context` could not be converted: whether `a` has the type `number` is not known at import: declare the types of its operands',
    ],
  },
  {
    title: 'a boxed context of constants with an entry of another type',
    document: of({
      xml: `<context><contextEntry><variable name="a" typeRef="number"/>${literal('"x"')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = {"a": null} -> result', 'result: DECIDED (a = $D.a)'],
  },
  {
    title: 'a constant of a type with allowed values',
    document: of({ type: 'tSmall', expression: '5' }),
    steps: ['* _D "D": D = 5 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant that its type does not allow',
    document: of({ type: 'tSmall', expression: '10' }),
    steps: ['* _D "D": D = null -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a decision that another requires',
    document: of({ expression: 'E * 2', requires: ['E'] }, { name: 'E', requires: ['n'], expression: 'n + 1' }),
    steps: ['* _E "E": E = n + 1 -> _D', '_D "D": D = $E * 2 -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning arithmetic /_E in `E`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a constant decision that another requires',
    document: of({ expression: 'E * n', requires: ['E', 'n'] }, { name: 'E', expression: '1 + 1' }),
    steps: ['* _E "E": E = 2 -> _D', '_D "D": D = $E * n -> result', 'result: DECIDED (D = $D)'],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'a table that another decision requires',
    document: of(
      { expression: 'E.fee * 2', requires: ['E'] },
      { name: 'E', requires: ['n'], table: { ...TABLE, outputs: TWO, rules: TWO_RULES } },
    ),
    steps: [
      '* _E "E": unique (i1 input n: number, o1 output E_1: number, o2 output E_2) | r1: i1 > 3, o1 1, o2 "big" | r2: o1 2, o2 "rest" | -> _E~result; else -> _D',
      '_E~result "E": E = {"fee": $E_1, "why": $E_2} -> _D',
      '_D "D": D = $E.fee * 2 -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'a decision that requires itself',
    document: of({ expression: 'D', requires: ['D'] }),
    steps: [],
    lost: ['error cycle /_D in `D`: the decision directly or indirectly requires itself'],
  },
  {
    title: 'a decision that requires one that is missing',
    document: of({ expression: '1', requires: ['Missing'] }),
    steps: ['* _D "D": D = 1 -> result', 'result: DECIDED (D = $D)'],
    lost: ['error unknown-requirement /_D in `D`: the required decision `_Missing` is not in this document'],
  },
  {
    title: 'two decisions',
    document: of({ expression: 'n' }, { name: 'E', expression: '2' }),
    steps: [
      '* _D "D": D = n -> result',
      'result: DECIDED (D = $D)',
      '* _E "E": E = 2 -> result',
      'result: DECIDED (E = $E)',
    ],
  },
  {
    title: 'two decisions, one by its name',
    document: of({ expression: 'n' }, { name: 'E', expression: '2' }),
    options: { decision: 'E' },
    steps: ['* _E "E": E = 2 -> result', 'result: DECIDED (E = $E)'],
  },
  {
    title: 'two decisions, one by its id',
    document: of({ expression: 'n' }, { name: 'E', expression: '2' }),
    options: { decision: '_E' },
    steps: ['* _E "E": E = 2 -> result', 'result: DECIDED (E = $E)'],
  },
  {
    title: 'two decisions, one that is unknown',
    document: of({ expression: 'n' }, { name: 'E', expression: '2' }),
    options: { decision: 'F' },
    steps: [],
    lost: ['error no-decision  the model has no decision `F`'],
  },
  {
    title: 'a decision of which a required one is asked',
    document: of({ expression: 'E', requires: ['E'] }, { name: 'E', expression: '2' }),
    options: { decision: 'E' },
    steps: ['* _E "E": E = 2 -> result', 'result: DECIDED (E = $E)'],
  },
  {
    title: 'a model without decisions',
    document: dmnText([], INPUTS),
    steps: [],
    lost: ['error no-decision  the model has no decision'],
  },
  {
    title: 'a model of another kind',
    document: '<process/>',
    steps: [],
    lost: ['error no-model  this is not a decision model: the root element must be `definitions` of DMN 1.1 to 1.6'],
  },
  {
    title: 'a text that is no model',
    document: '<definitions',
    steps: [],
    lost: ['error unreadable  the XML document cannot be parsed: document must contain a root element'],
  },
  {
    title: 'an expression that the editor refuses',
    document: of({ expression: 'upper case([n])' }),
    steps: ['* _D "D": D = upper([n]) -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'error wrong-type /_D in `D`: `upper` needs string as `text`, found array',
    ],
  },
  {
    title: 'a table entry that the editor refuses',
    document: tableOf({
      outputs: [{ name: 'fee' }],
      rules: [
        ['1', '1'],
        ['2', 'upper case([n])'],
      ],
    }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D) | r1: i1 1, o1 1 | r2: i1 2, o1 upper([n]) | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D/rule/1/outputEntry/0 in `D`, rule 2, `fee`: a null operand or a division by zero fails instead of giving null',
      'error wrong-type /_D/rule/1 in `D`, rule 2: `upper` needs string as `text`, found array',
    ],
  },
  {
    title: 'a table input that the editor refuses',
    document: tableOf({ inputs: [['upper case([n])']], rules: [['"A"', '1']] }),
    steps: [
      '* _D~input "D": D_input_1 = upper([n]) -> _D',
      '_D "D": unique (i1 input $D_input_1, o1 output D: number) | r1: i1 "A", o1 1 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D/input/0 in `D`, `upper case([n])`: a null operand or a division by zero fails instead of giving null',
      'error wrong-type /_D in `D`: `upper` needs string as `text`, found array',
    ],
  },
  {
    title: 'a required decision that the editor refuses',
    document: of({ expression: 'E', requires: ['E'] }, { name: 'E', requires: ['l'], expression: 'upper case([n])' }),
    steps: ['* _E "E": E = upper([n]) -> _D', '_D "D": D = $E -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning undeclared-name /_E in `E`: the decision does not require `n`: it is treated as an input field',
      'warning arithmetic /_E in `E`: a null operand or a division by zero fails instead of giving null',
      'error wrong-type /_E in `E`: `upper` needs string as `text`, found array',
    ],
  },
  {
    title: 'a table in a function',
    document: withModel(tableModel(''), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = if sum([if n > 3 then 1 else 0, if true then 1 else 0]) > 1 then to_number("rules of `decision table` match: the table allows one") else if n > 3 then (1) else if true then (2) else (null) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function that collects',
    document: withModel(tableModel(' hitPolicy="COLLECT"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = flatten([if n > 3 then [1] else [], if true then [2] else []]) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function that sums',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="SUM"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = if len(flatten([if n > 3 then [1] else [], if true then [2] else []])) == 0 then null else sum(flatten([if n > 3 then [1] else [], if true then [2] else []])) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function of the least value',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="MIN"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = min(flatten([if n > 3 then [1] else [], if true then [2] else []])) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function of the largest value',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="MAX"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = max(flatten([if n > 3 then [1] else [], if true then [2] else []])) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function that counts',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="COUNT"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = len(flatten([if n > 3 then [1] else [], if true then [2] else []])) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function of the least text',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="MIN"', '"a"'), knows + literal('f(n)')),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, the outputs of an aggregation are not known to be numbers',
    ],
  },
  {
    title: 'a table in a function of the largest text',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="MAX"', '"a"'), knows + literal('f(n)')),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, the outputs of an aggregation are not known to be numbers',
    ],
  },
  {
    title: 'a table in a function that sums texts',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="SUM"', '"a"'), knows + literal('f(n)')),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, the outputs of an aggregation are not known to be numbers',
    ],
  },
  {
    title: 'a table in a function that counts texts',
    document: withModel(tableModel(' hitPolicy="COLLECT" aggregation="COUNT"', '"a"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = len(flatten([if n > 3 then ["a"] else [], if true then [2] else []])) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function with the policy ANY',
    document: withModel(tableModel(' hitPolicy="ANY"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = if len(distinct(flatten([if n > 3 then [1] else [], if true then [2] else []]))) > 1 then to_number("rules of `decision table` that match have different outputs") else if len(flatten([if n > 3 then [1] else [], if true then [2] else []])) == 0 then (null) else first(flatten([if n > 3 then [1] else [], if true then [2] else []])) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function with the policy FIRST',
    document: withModel(tableModel(' hitPolicy="FIRST"'), knows + literal('f(n)')),
    steps: ['* _D "D": D = if n > 3 then (1) else if true then (2) else (null) -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a table in a function with the policy RULE ORDER',
    document: withModel(tableModel(' hitPolicy="RULE ORDER"'), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = flatten([if n > 3 then [1] else [], if true then [2] else []]) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function with priorities',
    document: withModel(
      tableModel(' hitPolicy="PRIORITY"', '1', text('outputValues', '2, 1')),
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = if true then (2) else if n > 3 then (1) else (null) -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a table in a function that is ordered by its outputs',
    document: withModel(
      tableModel(' hitPolicy="OUTPUT ORDER"', '1', text('outputValues', '2, 1')),
      knows + literal('f(n)'),
    ),
    steps: [
      '* _D "D": D = flatten([if true then [2] else [], if n > 3 then [1] else []]) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function with priorities that lack a value',
    document: withModel(
      tableModel(' hitPolicy="PRIORITY"', '1', text('outputValues', '2, 3')),
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a table in a function with priorities without values',
    document: withModel(tableModel(' hitPolicy="PRIORITY"'), knows + literal('f(n)')),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a table in a function with an unknown policy',
    document: withModel(tableModel(' hitPolicy="BEST"'), knows + literal('f(n)')),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error feel /_D in `D`: `f(n)` could not be converted: in `f`, unknown hit policy `BEST`'],
  },
  {
    title: 'a table in a function with the policy toString',
    document: withModel(tableModel(' hitPolicy="toString"'), knows + literal('f(n)')),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error feel /_D in `D`: `f(n)` could not be converted: in `f`, unknown hit policy `toString`'],
  },
  {
    title: 'a table in a function with a default',
    document: withModel(
      tableModel(' hitPolicy="FIRST"', '1', text('defaultOutputEntry', '9')),
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = if n > 3 then (1) else if true then (2) else (9) -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a table in a function with the policy ANY and a default',
    document: withModel(tableModel(' hitPolicy="ANY"', '1', text('defaultOutputEntry', '9')), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = if len(distinct(flatten([if n > 3 then [1] else [], if true then [2] else []]))) > 1 then to_number("rules of `decision table` that match have different outputs") else if len(flatten([if n > 3 then [1] else [], if true then [2] else []])) == 0 then (9) else first(flatten([if n > 3 then [1] else [], if true then [2] else []])) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function with a default and no policy',
    document: withModel(tableModel('', '1', text('defaultOutputEntry', '9')), knows + literal('f(n)')),
    steps: [
      '* _D "D": D = if sum([if n > 3 then 1 else 0, if true then 1 else 0]) > 1 then to_number("rules of `decision table` match: the table allows one") else if n > 3 then (1) else if true then (2) else (9) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function that collects with a default',
    document: withModel(
      tableModel(' hitPolicy="COLLECT"', '1', text('defaultOutputEntry', '9')),
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, a default output of a table within an expression that has several results',
    ],
  },
  {
    title: 'a table in a function whose rule has too few entries',
    document: withModel(
      `${PARAMETER}<decisionTable>${column('p')}${column('p')}<output/>${rule(['1'], ['2'])}</decisionTable>`,
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, a rule has other entries than the table has columns',
    ],
  },
  {
    title: 'a table in a function whose rule has too few outputs',
    document: withModel(
      `${PARAMETER}<decisionTable>${column('p')}<output name="a"/><output name="b"/>${rule(['1'], ['2'])}</decisionTable>`,
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(n)` could not be converted: in `f`, a rule has other entries than the table has columns',
    ],
  },
  {
    title: 'a table in a function with two outputs',
    document: withModel(
      `${PARAMETER}<decisionTable>${column('p')}<output name="a"/><output name="b"/>${rule(['1'], ['2', ''])}</decisionTable>`,
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = if n == 1 then ({"a": 2, "b": null}) else (null) -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a table in a function with a negated entry',
    document: withModel(
      `${PARAMETER}<decisionTable>${column('p')}${column('p')}<output/>${rule(['not(1)', '&gt; 2'], ['2'])}${rule(['-', '-'], ['3'])}</decisionTable>`,
      knows + literal('f(n)'),
    ),
    steps: [
      '* _D "D": D = if sum([if (n != 1) && (n > 2) then 1 else 0, if true then 1 else 0]) > 1 then to_number("rules of `decision table` match: the table allows one") else if (n != 1) && (n > 2) then (2) else if true then (3) else (null) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table in a function that cannot be read',
    document: withModel(
      `${PARAMETER}<decisionTable>${column('p')}<output/>${rule(['1 +'], ['2'])}</decisionTable>`,
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error feel /_D in `D`: `f(n)` could not be converted: in `f`, in `1 +`, the expression ends too early'],
  },
  {
    title: 'a table in a function in another language',
    document: withModel(
      `${PARAMETER}<decisionTable><input><inputExpression expressionLanguage="juel"><text>p</text></inputExpression></input><output/>${rule(['1'], ['2'])}</decisionTable>`,
      knows + literal('f(n)'),
    ),
    steps: ['* _D "D": D = lost("f(n)") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error feel /_D in `D`: `f(n)` could not be converted: in `f`, the language `juel`'],
  },
  {
    title: 'a function that is called with a constant',
    document: withModel(`${PARAMETER}${literal('p + 1')}`, knows + literal('f(2)')),
    steps: ['* _D "D": D = 3 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a function that is called with a constant, by an invocation',
    document: withModel(
      `${PARAMETER}${literal('p + 1')}`,
      `${knows}<invocation>${literal('f')}<binding><parameter name=" p "/>${literal('2')}</binding></invocation>`,
    ),
    steps: ['* _D "D": D = 3 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a function that is called with an input, by an invocation',
    document: withModel(
      `${PARAMETER}${literal('p + 1')}`,
      `${knows}<invocation>${literal('f')}<binding><parameter name=" p "/>${literal('n')}</binding></invocation>`,
    ),
    steps: ['* _D "D": D = n + 1 -> result', 'result: DECIDED (D = $D)'],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'an invocation with another parameter',
    document: withModel(
      `${PARAMETER}${literal('p + 1')}`,
      `${knows}<invocation>${literal('f')}<binding><parameter name="q"/>${literal('2')}</binding></invocation>`,
    ),
    steps: ['* _D "D": D = null -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'an invocation with a further parameter',
    document: withModel(
      `${PARAMETER}${literal('p + 1')}`,
      `${knows}<invocation>${literal('f')}<binding><parameter name="p"/>${literal('1')}</binding><binding><parameter name="q"/>${literal('2')}</binding></invocation>`,
    ),
    steps: ['* _D "D": D = null -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'an invocation without an argument',
    document: withModel(
      `${PARAMETER}${literal('p = null')}`,
      `${knows}<invocation>${literal('f')}<binding><parameter name="p"/></binding></invocation>`,
    ),
    steps: ['* _D "D": D = true -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'an invocation without an argument, of an input',
    document: withModel(
      `${PARAMETER}${literal('[p, n]')}`,
      `${knows}<invocation>${literal('f')}<binding><parameter name="p"/></binding></invocation>`,
    ),
    steps: ['* _D "D": D = lost("invocation") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `invocation` could not be converted: in `f`, in `[p, n]`, `n` is neither a parameter nor a function of the model',
    ],
  },
  {
    title: 'an invocation of no function',
    document: of({ xml: `<invocation>${literal('1')}</invocation>` }),
    steps: ['* _D "D": D = null -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a function that reads an input',
    document: withModel(`${PARAMETER}${literal('p + n')}`, knows + literal('f(1)')),
    steps: ['* _D "D": D = lost("f(1)") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error feel /_D in `D`: `f(1)` could not be converted: in `f`, in `p + n`, `n` is neither a parameter nor a function of the model',
    ],
  },
  {
    title: 'a function without a name of its variable',
    document: of({ xml: knows + literal('f(2)') }).replace(
      '<inputData',
      `<businessKnowledgeModel id="f" name=" f "><encapsulatedLogic>${PARAMETER}${literal('p + 1')}</encapsulatedLogic></businessKnowledgeModel><inputData`,
    ),
    steps: ['* _D "D": D = 3 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a function that is not required',
    document: withModel(`${PARAMETER}${literal('p + 1')}`, literal('f(2)')),
    steps: ['* _D "D": D = lost("f(2)") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error feel /_D in `D`: `f(2)` could not be converted: the function `f` is not supported'],
  },
  {
    title: 'a function with allowed values in its type',
    document: withModel(
      `<formalParameter name="p" typeRef="tSmall"/>${literal('p')}`,
      knows + literal('[f(5), f(10), f(null)]'),
    ),
    steps: ['* _D "D": D = [5, null, null] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a function in a context',
    document: of({
      xml: `<context><contextEntry><variable name="f"/><functionDefinition><formalParameter name="p"/>${literal('p + n')}</functionDefinition></contextEntry><contextEntry>${literal('f(1)')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = 1 + n -> result', 'result: DECIDED (D = $D)'],
    lost: ['warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null'],
  },
  {
    title: 'a function of constants in a context',
    document: of({
      xml: `<context><contextEntry><variable name="f"/><functionDefinition><formalParameter name=" p "/>${literal('p + 1')}</functionDefinition></contextEntry><contextEntry>${literal('f(1)')}</contextEntry></context>`,
    }),
    steps: ['* _D "D": D = 2 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of a type of contexts',
    document: of({ type: 'tPair', expression: '{a: 1, b: "x"}' }),
    steps: ['* _D "D": D = {"a": 1, "b": "x"} -> result', 'result: DECIDED (a = $D.a, b = $D.b)'],
  },
  {
    title: 'a constant that is no such context',
    document: of({ type: 'tPair', expression: '{a: "x", b: 1}' }),
    steps: ['* _D "D": D = null -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of a type of contexts with allowed values',
    document: of({ type: 'tBounded', expression: '{a: 1}' }),
    steps: ['* _D "D": D = {"a": 1} -> result', 'result: DECIDED (a = $D.a)'],
    lost: [
      'warning allowed-values /_D in `D`: the allowed values of the type `tBounded` are not checked: another value stays as it is, which is null in DMN',
    ],
  },
  {
    title: 'a constant of a type of functions',
    document: of({ type: 'tFunction', expression: '1' }),
    steps: ['* _D "D": D = 1 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of a collection with allowed values',
    document: of({ type: 'tSmalls', expression: '[1, 2]' }),
    steps: ['* _D "D": D = [1, 2] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of a collection that its values do not allow',
    document: of({ type: 'tSmalls', expression: '[1, 20]' }),
    steps: ['* _D "D": D = null -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of an unknown type',
    document: of({ type: 'tUnknown', expression: '1' }),
    steps: ['* _D "D": D = 1 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of a type that is written',
    document: of({ type: 'list&lt;number&gt;', expression: '[1]' }),
    steps: ['* _D "D": D = [1] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of a type that is written wrongly',
    document: of({ type: 'list&lt;', expression: '[1]' }),
    steps: ['* _D "D": D = [1] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant date of a type of dates and times',
    document: of({ type: 'date and time', expression: 'date("2024-01-01")' }),
    steps: ['* _D "D": D = "2024-01-01T00:00:00Z" -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant item of a list type',
    document: of({ type: 'tNumbers', expression: '1' }),
    steps: ['* _D "D": D = [1] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant of the type Any',
    document: of({ type: 'Any', expression: '1' }),
    steps: ['* _D "D": D = 1 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant conditional',
    document: of({
      xml: `<conditional><if>${literal('1 = 1')}</if><then>${literal('2')}</then><else>${literal('3')}</else></conditional>`,
    }),
    steps: ['* _D "D": D = 2 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant conditional without a part',
    document: of({ xml: `<conditional><if>${literal('1 = 1')}</if><then>${literal('2')}</then></conditional>` }),
    steps: ['* _D "D": D = 2 -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant filter',
    document: of({ xml: `<filter><in>${literal('[1, 2]')}</in><match>${literal('item = 2')}</match></filter>` }),
    steps: ['* _D "D": D = [2] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant quantifier',
    document: of({
      xml: `<every iteratorVariable="i"><in>${literal('[1, 2]')}</in><satisfies>${literal('i &gt; 0')}</satisfies></every>`,
    }),
    steps: ['* _D "D": D = true -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a constant table',
    document: xmlTable(`${column('1')}<output/>${rule(['1'], ['2'])}`),
    steps: [
      '* _D~input "D": D_input_1 = 1 -> _D',
      '_D "D": unique (i1 input $D_input_1, o1 output D) | r1: i1 1, o1 2 | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a constant in another language',
    document: of({ xml: '<literalExpression expressionLanguage="juel"><text>1</text></literalExpression>' }),
    steps: ['* _D "D": D = lost("1") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error expression-language /_D in `D`: the language `juel` is not supported: only FEEL is'],
  },
  {
    title: 'a boxed list of a part in another language',
    document: of({
      xml: `<list>${literal('1')}<literalExpression expressionLanguage="juel"><text>1</text></literalExpression></list>`,
    }),
    steps: ['* _D "D": D = lost("list") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `list` could not be converted: the language `juel`',
    ],
  },
  {
    title: 'a boxed list with an empty part',
    document: of({ xml: `<list>${literal('1')}${literal('')}</list>` }),
    steps: ['* _D "D": D = lost("list") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error boxed-expression /_D in `D`: the boxed expression `list` could not be converted: in ``, the expression ends too early',
    ],
  },
  {
    title: 'a service',
    document: service({}, ''),
    steps: [
      '* _E "E": E = n + 1 -> _D',
      '_D "D": D = $E * 2 -> result',
      'result: DECIDED (D = $D)',
      '* _E "E": E = n + 1 -> _D',
      '_D "D": D = $E * 2 -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning arithmetic /_E in `E`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a service by its name',
    document: service({}, ''),
    options: { decision: 'S' },
    steps: ['* _E "E": E = n + 1 -> _D', '_D "D": D = $E * 2 -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning arithmetic /_E in `E`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a service of two results',
    document: service({}, '<outputDecision href="#_E"/>'),
    steps: [
      '* _E "E": E = n + 1 -> _D',
      '_D "D": D = $E * 2 -> result',
      'result: DECIDED (D = $D)',
      '* _E "E": E = n + 1 -> _D',
      '_D "D": D = $E * 2 -> result',
      'result: DECIDED (D = $D, E = $E)',
    ],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning arithmetic /_E in `E`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a service that is given a decision',
    document: service({ requires: ['E', 'n'], expression: 'E + n' }, '<inputDecision href="#_E"/>'),
    steps: [
      '* _E "E": E = n + 1 -> _D',
      '_D "D": D = $E + n -> result',
      'result: DECIDED (D = $D)',
      '* _D "D": D = E + n -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning arithmetic /_E in `E`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a service of a constant that is given a decision',
    document: service({ requires: ['E'], expression: 'E + 1' }, '<inputDecision href="#_E"/>'),
    steps: [
      '* _E "E": E = n + 1 -> _D',
      '_D "D": D = $E + 1 -> result',
      'result: DECIDED (D = $D)',
      '* _D "D": D = E + 1 -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning arithmetic /_E in `E`: a null operand or a division by zero fails instead of giving null',
    ],
  },
  {
    title: 'a service without results',
    document: dmnText([{ name: 'D', requires: ['n'], expression: 'n' }], INPUTS, {
      extra: '<decisionService id="S" name="S"/>',
    }),
    steps: ['* _D "D": D = n -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a service of a missing decision',
    document: dmnText([{ name: 'D', requires: ['n'], expression: 'n' }], INPUTS, {
      extra: '<decisionService id="S" name="S"><outputDecision href="#missing"/></decisionService>',
    }),
    steps: ['* _D "D": D = n -> result', 'result: DECIDED (D = $D)'],
    lost: ['error unknown-requirement /S in `S`: the required decision `missing` is not in this document'],
  },
  {
    title: 'an expression that is a text where a number is declared',
    document: of({ type: 'number', expression: 's' }),
    steps: ['* _D "D": D = s -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning result-type /_D in `D`: the result does not have the declared type `number`: DMN converts it or makes it null, here it stays as it is',
    ],
  },
  {
    title: 'an expression that is a computed text where a number is declared',
    document: of({ type: 'number', expression: 'upper case(s)' }),
    steps: ['* _D "D": D = upper(s) -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning result-type /_D in `D`: the result does not have the declared type `number`: DMN converts it or makes it null, here it stays as it is',
    ],
  },
  {
    title: 'an expression that is a date where a date and time is declared',
    document: of({ type: 'date and time', expression: 'day' }),
    steps: ['* _D "D": D = day -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning result-type /_D in `D`: the result does not have the declared type `date and time`: DMN converts it or makes it null, here it stays as it is',
    ],
  },
  {
    title: 'an expression that is a context where a number is declared',
    document: of({ type: 'number', expression: '{a: n}' }),
    steps: ['* _D "D": D = {"a": n} -> result', 'result: DECIDED (a = $D.a)'],
    lost: [
      'warning result-type /_D in `D`: the result does not have the declared type `number`: DMN converts it or makes it null, here it stays as it is',
    ],
  },
  {
    title: 'an expression that is a number where a context is declared',
    document: of({ type: 'tPair', expression: 'n + 1' }),
    steps: ['* _D "D": D = n + 1 -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning result-type /_D in `D`: the result does not have the declared type `tPair`: DMN converts it or makes it null, here it stays as it is',
    ],
  },
  {
    title: 'an expression of a type with allowed values',
    document: of({ type: 'tSmall', expression: 'n' }),
    steps: ['* _D "D": D = n -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning allowed-values /_D in `D`: the allowed values of the type `tSmall` are not checked: another value stays as it is, which is null in DMN',
    ],
  },
  {
    title: 'an expression of a context of another type',
    document: of({ type: 'tPair', expression: '{a: s, b: n}' }),
    steps: ['* _D "D": D = {"a": s, "b": n} -> result', 'result: DECIDED (a = $D.a, b = $D.b)'],
    lost: [
      'warning result-type /_D in `D`: the result does not have the declared type `tPair`: DMN converts it or makes it null, here it stays as it is',
    ],
  },
  {
    title: 'a boxed list where a number is declared',
    document: of({ type: 'number', xml: `<list>${literal('n')}</list>` }),
    steps: ['* _D "D": D = [n] -> result', 'result: DECIDED (D = $D)'],
    lost: ['error result-type /_D in `D`: whether the result has the type `number` is not known at import'],
  },
  {
    title: 'a table of texts where a number is declared',
    document: of({ type: 'number', table: { ...TABLE, outputs: [{ name: 'fee' }], rules: [['-', '"a"']] } }),
    steps: [
      '* _D "D": unique (i1 input n: number, o1 output D) | r1: o1 "a" | -> result; else -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table that collects where a number is declared',
    document: of({ type: 'number', table: { ...TABLE, hitPolicy: 'COLLECT' } }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D: number) | r1: i1 > 3, o1 1 | r2: o1 2 | -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning result-type /_D in `D`: the result does not have the declared type `number`: DMN converts it or makes it null, here it stays as it is',
    ],
  },
  {
    title: 'an expression of the length of a text',
    document: of({ expression: 'string length(s)' }),
    steps: ['* _D "D": D = if is_string(s) then len(s) else null -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning text-length /_D in `D`: lengths and positions count UTF-16 units in a ruleset, and characters in DMN',
    ],
  },
  {
    title: 'an expression of a sum',
    document: of({ expression: 'sum(l)' }),
    steps: ['* _D "D": D = sum(l) -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'warning arithmetic /_D in `D`: a null operand or a division by zero fails instead of giving null',
      'warning sum /_D in `D`: the sum of an empty list is 0 in a ruleset, and null in DMN',
    ],
  },
  {
    title: 'an expression of a time with a zone',
    document: of({ expression: 'at + duration("PT1H")' }),
    steps: [
      '* _D "D": D = if is_string(at) then format_date(date_add(substring(at, 0, 19), 3600, "seconds"), "YYYY-MM-DDTHH:mm:ss") + substring(at, 19) else null -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['warning zone /_D in `D`: a date and time in a named time zone is computed by its local time'],
  },
  {
    title: 'an expression of an order',
    document: of({ expression: 's < "a"' }),
    steps: [
      '* _D "D": D = if s < "a" then true else if s >= "a" then false else null -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning comparison /_D in `D`: an equality of values of two types is false instead of null, and an order of them fails',
    ],
  },
  {
    title: 'a call of a function whose names have blanks',
    document: of({ xml: `${knows}${literal('f(n)')}` }).replace(
      '<inputData',
      `<businessKnowledgeModel id="f" name=" f "><encapsulatedLogic><formalParameter name=" p "/>${literal('[p]')}</encapsulatedLogic></businessKnowledgeModel><inputData`,
    ),
    steps: ['* _D "D": D = [n] -> result', 'result: DECIDED (D = $D)'],
  },
  {
    title: 'a type whose reference has blanks',
    document: of({ type: 'tNumbers', expression: 'n' }).replace(
      '<typeRef>number</typeRef>',
      '<typeRef> number </typeRef>',
    ),
    steps: ['* _D "D": D = n -> result', 'result: DECIDED (D = $D)'],
    lost: ['error result-type /_D in `D`: whether the result has the type `tNumbers` is not known at import'],
  },
  {
    title: 'an expression of 300 characters that cannot be read',
    document: of({ expression: `n + ${'1'.repeat(296)} +` }),
    steps: [
      '* _D "D": D = lost("n + 11111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111 +") -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'error feel /_D in `D`: `n + 1111111111111111111111111111111111111111111111111111111111111111111111111111…` could not be converted: the expression ends too early',
    ],
  },
  {
    title: 'a table of several outputs that are ordered',
    document: tableOf({
      hitPolicy: 'OUTPUT ORDER',
      outputs: [
        { name: 'fee', values: '1, 2' },
        { name: 'why', values: '"b", "a"' },
      ],
      rules: [
        ['-', '2', '"a"'],
        ['-', '1', '"a"'],
        ['-', '1', '"b"'],
      ],
    }),
    steps: [
      '* _D "D": collect (i1 input n: number, o1 output D) | r3: o1 {"fee": 1, "why": "b"} | r2: o1 {"fee": 1, "why": "a"} | r1: o1 {"fee": 2, "why": "a"} | -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a table with priorities of which one list is none',
    document: tableOf({ hitPolicy: 'PRIORITY', outputs: [{ name: 'fee', values: '1, n' }] }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error no-priorities /_D in `D`: priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a table with priorities that are negated',
    document: tableOf({ hitPolicy: 'PRIORITY', outputs: [{ name: 'fee', values: 'not(1, 2)' }] }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error no-priorities /_D in `D`: priorities require a list of output values that contains every output entry',
    ],
  },
  {
    title: 'a function that is a table with priorities of two outputs',
    document: withModel(
      `${PARAMETER}<decisionTable hitPolicy="PRIORITY">${column('p')}<output name="a">${text('outputValues', '1, 2')}</output><output name="b">${text('outputValues', '2, 1')}</output>${rule(['1'], ['2', '1'])}${rule(['2'], ['1', '1'])}${rule(['3'], ['1', '2'])}</decisionTable>`,
      knows + literal('f(n)'),
    ),
    steps: [
      '* _D "D": D = if n == 3 then ({"a": 1, "b": 2}) else if n == 2 then ({"a": 1, "b": 1}) else if n == 1 then ({"a": 2, "b": 1}) else (null) -> result',
      'result: DECIDED (D = $D)',
    ],
  },
  {
    title: 'a model that imports one that is missing',
    document: dmnText([{ name: 'D', requires: ['n'], expression: 'n' }], INPUTS, {
      extra:
        '<import namespace="https://example.com/other" name="o" importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>',
    }),
    steps: ['* _D "D": D = n -> result', 'result: DECIDED (D = $D)'],
    lost: [
      'error missing-model /import/https://example.com/other the imported model `https://example.com/other` is not among the documents: `engine import --from dmn` reads several',
    ],
  },
  {
    title: 'a model that imports one of two of the same namespace',
    document: dmnText([{ name: 'D', requires: ['n'], expression: 'n' }], INPUTS, {
      extra: '<import namespace="b" name="o" importType=" https://www.omg.org/spec/DMN/20191111/MODEL/ "/>',
    }),
    options: {
      library: new ModelLibrary([
        ['one.dmn', modelText('b', {}, '')],
        ['two.dmn', modelText('b', {}, '')],
      ]),
    },
    steps: ['* _D "D": D = n -> result', 'result: DECIDED (D = $D)'],
    lost: ['error several-models /import/b `one.dmn` and `two.dmn` both have the imported namespace `b`'],
  },
  {
    title: 'a model alone that others import',
    document: dmnText([], INPUTS, { extra: TYPES }),
    steps: [],
    lost: ['error no-decision  the model has no decision'],
  },
  {
    title: 'a table that sums a number and a text',
    document: tableOf({
      hitPolicy: 'COLLECT',
      aggregation: 'SUM',
      outputs: [{ name: 'fee' }],
      rules: [
        ['-', '1'],
        ['-', '"a"'],
      ],
    }),
    steps: ['* _D "D": D = lost("decision table") -> result', 'result: DECIDED (D = $D)'],
    lost: ['error aggregation /_D in `D`: this aggregation is not supported: its outputs are not known to be numbers'],
  },
  {
    title: 'sums of dates and durations',
    document: of({ expression: '[at + duration("PT1M1S"), at + duration("P1DT1H"), day + duration("P1Y")]' }),
    steps: [
      '* _D "D": D = [if is_string(at) then format_date(date_add(substring(at, 0, 19), 61, "seconds"), "YYYY-MM-DDTHH:mm:ss") + substring(at, 19) else null, if is_string(at) then format_date(date_add(substring(at, 0, 19), 90000, "seconds"), "YYYY-MM-DDTHH:mm:ss") + substring(at, 19) else null, if is_string(day) then date_add(day, 12, "months") else null] -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: ['warning zone /_D in `D`: a date and time in a named time zone is computed by its local time'],
  },
  {
    title: 'an interval before an item of a list',
    document: of({ expression: 'n in [1..2] and l[1] > 0' }),
    steps: [
      '* _D "D": D = if (n >= 1 && n <= 2) && (first(slice(coalesce(l, []), 0, 1)) > 0) then true else if (n < 1 || n > 2) || (first(slice(coalesce(l, []), 0, 1)) <= 0) then false else null -> result',
      'result: DECIDED (D = $D)',
    ],
    lost: [
      'warning comparison /_D in `D`: an equality of values of two types is false instead of null, and an order of them fails',
    ],
  },
]

test.each(CONVERTED)('$title becomes steps', ({ document, options, steps, lost = [] }) => {
  const converted = fromDmn(document, 'model', options)
  expect(converted.rulesets.flatMap(({ ruleset }) => stepLines(ruleset))).toEqual(steps)
  expect(lossLines(converted.lost)).toEqual(lost)
})
