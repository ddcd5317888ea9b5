import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { inRange, pick, type Random, seededRandom } from '../../ruleset/src/random.testing.ts'
import { fromCsv } from './csv/from-csv.ts'
import { fromDmn } from './dmn/from-dmn.ts'
import { modelText } from './dmn/model.testing.ts'
import { ModelLibrary } from './dmn/model-library.ts'
import { STANDARD } from './dmn/standard.testing.ts'
import type { Imported, Loss } from './conversion-result.ts'
import { isPlaceInText } from './loss-places.testing.ts'
import { TooLarge } from './size-error.ts'
import { fromXlsx } from './xlsx/from-xlsx.ts'
import { number, shared, text, workbookBytes } from './xlsx/workbook.testing.ts'

const DOCUMENTS = casesOf(2000)

const CSV = 'in:age:number,"in:a[""b""]",out:fee,next\r\n>= 18,"in [""x"", ""y""]",age * 2,A\r\n[1..5),,1,B\r\n'
const XLSX = workbookBytes({
  sharedTexts: ['<t>in:a</t>'],
  formats: ['yyyy-mm-dd'],
  sheets: [
    {
      name: 'T',
      rows: [
        [shared(0), text('out:b')],
        [number(1), number(46_000, 1)],
      ],
      merged: ['A5:B6'],
    },
  ],
})

test(`${DOCUMENTS} documents with bytes that are changed are read, or refused with a place`, () => {
  printSeed(DOCUMENTS)
  const random = seededRandom(SEED)
  const seen = { read: 0, refused: 0 }
  for (let count = 0; count < DOCUMENTS; count++) {
    const { rulesets, lost, isPlace } = pick(random, [csv, xlsx, dmn, dmnImports])(random)
    for (const { message, code } of lost) expect([message, code]).not.toContain('')
    for (const loss of lost) if (!isPlace(loss)) throw new Error(`nowhere in the document: ${JSON.stringify(loss)}`)
    const isRefused = lost.some(({ severity }) => severity === 'error')
    if (rulesets.length === 0) expect(isRefused).toBe(true)
    seen[isRefused ? 'refused' : 'read']++
  }
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(DOCUMENTS / 50)
}, 600_000)

/** The import of a document, and whether a loss has a place in it. */
type Read = Imported & { readonly isPlace: (loss: Loss) => boolean }

const csv = (random: Random) => inText(changedText(random, CSV), fromCsv)
const dmn = (random: Random) => inText(changedText(random, pick(random, STANDARD).document), fromDmn)

const BASE = modelText(
  'base',
  {},
  '<itemDefinition name="tX"><typeRef>number</typeRef></itemDefinition><inputData id="n" name="n"><variable name="n" typeRef="tX"/></inputData><decision id="E" name="E"><variable name="E" typeRef="tX"/><informationRequirement><requiredInput href="#n"/></informationRequirement><literalExpression><text>n + 1</text></literalExpression></decision><businessKnowledgeModel id="f" name="f"><variable name="f"/><encapsulatedLogic><formalParameter name="x" typeRef="tX"/><literalExpression><text>x * 2</text></literalExpression></encapsulatedLogic></businessKnowledgeModel><decisionService id="s" name="s"><outputDecision href="#E"/><inputData href="#n"/></decisionService>',
)
const MAIN = modelText(
  'main',
  { b: 'base' },
  '<decision id="D" name="D"><variable name="D" typeRef="b.tX"/><informationRequirement><requiredDecision href="base#E"/></informationRequirement><knowledgeRequirement><requiredKnowledge href="base#f"/></knowledgeRequirement><knowledgeRequirement><requiredKnowledge href="base#s"/></knowledgeRequirement><literalExpression><text>b.f(b.E) + b.s(b.E)</text></literalExpression></decision>',
)

/** A model and the one that it imports, both changed. */
function dmnImports(random: Random): Read {
  const [main, base] = [changedText(random, MAIN), changedText(random, BASE)]
  const read = limited(() => fromDmn(main, undefined, { library: new ModelLibrary([['base.dmn', base]]) }))
  return {
    ...read,
    isPlace: (loss) => [main, base].some((document) => isPlaceInText(document.replace(/^\uFEFF/, ''), loss)),
  }
}

function inText(document: string, read: (document: string) => Imported): Read {
  return { ...limited(() => read(document)), isPlace: (loss) => isPlaceInText(document.replace(/^\uFEFF/, ''), loss) }
}

/** A cell of the sheet, possibly renamed, or the whole workbook. */
function xlsx(random: Random): Read {
  const read = limited(() => fromXlsx(changedBytes(random, XLSX)))
  return { ...read, isPlace: ({ path }) => /^(?:|\/.*(?:\/[A-Z]{1,3}\d+)?)$/.test(path) }
}

function limited(read: () => Imported): Imported {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return { rulesets: [], lost: [{ path: '', code: error.code, message: error.message, severity: 'error' }] }
  }
}

const PIECES = [
  '"',
  ',',
  '\n',
  '<',
  '>',
  '&',
  '(',
  ')',
  '[',
  ']',
  '..',
  'not(',
  '-',
  '?',
  '{',
  '}',
  '=',
  ' ',
  '1',
  '\0',
  'é',
]

function changedText(random: Random, document: string): string {
  let changed = document
  for (let count = inRange(random, 0, 3); count > 0; count--) {
    const at = inRange(random, 0, changed.length)
    changed = changed.slice(0, at) + pick(random, ['', ...PIECES]) + changed.slice(at + inRange(random, 0, 3))
  }
  return changed
}

function changedBytes(random: Random, document: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(document)
  for (let count = inRange(random, 0, 3); count > 0; count--)
    changed[inRange(random, 0, changed.length - 1)] = inRange(random, 0, 255)
  return changed
}
