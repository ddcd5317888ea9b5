import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { modelText } from './model.testing.ts'
import { ModelLibrary } from './model-library.ts'

const literal = (text: string) => `<literalExpression><text>${text}</text></literalExpression>`
const decision = (content: string, attributes = 'id="_fee" name="Shipping fee"') =>
  `<decision ${attributes}><variable name="fee"/>${content}</decision>`
const column = (kind: string, attributes: string, text: string) =>
  `<${kind} ${attributes}>${text && `<inputExpression><text>${text}</text></inputExpression>`}</${kind}>`
const rule = (...cells: readonly string[]) =>
  `<rule>${cells.map((cell, index) => (index < 2 ? `<inputEntry><text>${cell}</text></inputEntry>` : `<outputEntry><text>${cell}</text></outputEntry>`)).join('')}</rule>`
const COLUMNS =
  column('input', 'label=" Weight in kg "', 'weight') +
  column('input', '', ' to.country ') +
  column('output', 'name="fee"', '') +
  column('output', 'name="note" label="Remark"', '')
const table = (...rules: readonly string[]) =>
  decision(`<decisionTable hitPolicy="FIRST">${COLUMNS}${rules.join('')}</decisionTable>`)
const GOOD = rule('1', '-', '5', '"a"')

/** The first error, or else the first warning. */
function firstLoss(document: string): string | undefined {
  const { lost } = fromDmn(document)
  return (lost.find(({ severity }) => severity === 'error') ?? lost[0])?.message
}

test.each([
  ['a decision', decision(literal('1 +')), 'in `fee`: `1 +` could not'],
  [
    'a decision without a variable',
    decision(literal('1 +')).replace('<variable name="fee"/>', ''),
    'in `Shipping fee`: ',
  ],
  ['a decision without logic', decision(''), 'in `fee`: the decision has no logic'],
  [
    'a decision that requires itself',
    decision('<informationRequirement><requiredDecision href="#_fee"/></informationRequirement>' + literal('1')),
    'in `fee`: the decision directly or indirectly requires itself',
  ],
  ['a decision without an id', decision(literal('1 +'), 'name="Fee"'), 'in `fee`: '],
  [
    'an input entry of a labelled column',
    table(GOOD, rule('1 +', '-', '5', '"a"')),
    'in `fee`, rule 2, `Weight in kg`: ',
  ],
  [
    'an input entry of a column by its expression',
    table(GOOD, rule('-', '1 +', '5', '"a"')),
    'in `fee`, rule 2, `to.country`: ',
  ],
  ['an output entry', table(rule('-', '-', '5 +', '"a"')), 'in `fee`, rule 1, `fee`: '],
  ['an output entry of a labelled column', table(rule('-', '-', '5', '"a" +')), 'in `fee`, rule 1, `Remark`: '],
  [
    'a rule',
    table(GOOD, GOOD, rule('-', '-', '5')),
    'in `fee`, rule 3: the rule has 1 output entry, and the table 2 outputs',
  ],
  ['an input', table(GOOD).replace('to.country', 'to.country +'), 'in `fee`, `to.country +`: '],
  [
    'an input whose label is blank',
    table(GOOD).replace('" Weight in kg "', '" "').replace('<text>weight', '<text>weight +'),
    'in `fee`, `weight +`: ',
  ],
  ['an input without an expression', table(GOOD).replace(' to.country ', ''), 'in `fee`, input 2: the input has no'],
  [
    'an output without a name',
    table(GOOD).replace('name="fee">', '><defaultOutputEntry><text>1 +</text></defaultOutputEntry>'),
    'in `fee`, output 1: ',
  ],
  [
    'a column of a long expression',
    table(GOOD).replace(' to.country ', `${'x'.repeat(120)} +`),
    `in \`fee\`, \`${'x'.repeat(80)}…\`: `,
  ],
  [
    'a decision service',
    '<decisionService id="_s" name="Fees"><outputDecision href="#_none"/></decisionService>' + decision(literal('1')),
    'in `Fees`: the required decision `_none` is not in this document',
  ],
  [
    'a business knowledge model',
    '<businessKnowledgeModel id="_b" name="Surcharge"><encapsulatedLogic><formalParameter name="p"/>' +
      `${literal('p +')}</encapsulatedLogic></businessKnowledgeModel>` +
      '<inputData id="_n" name="n"/>' +
      decision(
        '<informationRequirement><requiredInput href="#_n"/></informationRequirement>' +
          '<knowledgeRequirement><requiredKnowledge href="#_b"/></knowledgeRequirement>' +
          literal('Surcharge(n)'),
      ),
    'in `fee`: `Surcharge(n)` could not be converted: in `Surcharge`, in `p +`, the expression ends too early',
  ],
  ['what belongs to no decision', '<other/>' + decision(literal('1')), '`other` is not supported'],
  ['a repeated id', decision(literal('1')) + decision(literal('2')), 'in `fee`: the id `_fee` is used twice'],
])('the message about %s names its place', (_, content, begin) => {
  const found = firstLoss(modelText('model', {}, content))
  expect(found?.slice(0, begin.length)).toBe(begin)
})

test('a message that the editor adds names the decision, also of another model', () => {
  const base = modelText('base', {}, decision(literal('n / upper case([n])'), 'id="_fee" name="Fee"'))
  const main = modelText(
    'main',
    { b: 'base' },
    '<decision id="_d" name="D"><variable name="D"/>' +
      '<informationRequirement><requiredDecision href="base#_fee"/></informationRequirement>' +
      `${literal('b.fee')}</decision>`,
  )
  const { lost } = fromDmn(main, undefined, { library: new ModelLibrary([['base.dmn', base]]) })
  expect(lost.map(({ message }) => message.split(':')[0])).toEqual(lost.map(() => 'in `fee`'))
  expect(lost.map(({ code }) => code)).toContain('wrong-type')
})

test('a decision is asked for by its name, that of its variable or its id, and need not have a name', () => {
  const document = modelText(
    'model',
    {},
    decision(literal('1')) + decision(literal('2'), 'id="_other"').replace('name="fee"', 'name="Other"'),
  )
  const named = (wanted?: string) => fromDmn(document, undefined, { decision: wanted }).rulesets.map(({ name }) => name)
  expect(named()).toEqual(['fee', 'Other'])
  expect(['Shipping fee', 'fee', '_fee', '_other'].map(named)).toEqual([['fee'], ['fee'], ['fee'], ['Other']])
})

test('a rule that priorities move has its number in the document', () => {
  const values = '<outputValues><text>"a", 7</text></outputValues>'
  const content = decision(
    '<decisionTable hitPolicy="PRIORITY"><input><inputExpression><text>n</text></inputExpression></input>' +
      `<output typeRef="string">${values}</output>` +
      ['7', '"a"']
        .map(
          (text) =>
            `<rule><inputEntry><text>-</text></inputEntry><outputEntry><text>${text}</text></outputEntry></rule>`,
        )
        .join('') +
      '</decisionTable>',
  )
  const { lost } = fromDmn(modelText('model', {}, content))
  expect(lost.find(({ code }) => code !== 'undeclared-name')).toMatchObject({ path: '/_fee/rule/0' })
})
