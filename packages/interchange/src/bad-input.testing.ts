import { strToU8, zipSync } from 'fflate'
import { deflateRawSync } from 'node:zlib'
import { DMN_13, dmnText, modelText } from './dmn/model.testing.ts'
import {
  formula,
  number,
  packed,
  text,
  workbookBytes,
  workbookParts,
  type WrittenCell,
} from './xlsx/workbook.testing.ts'

/** A rejected document and the expected message. */
export interface BadInput {
  readonly title: string
  readonly format: 'csv' | 'xlsx' | 'dmn'
  /** Built on use: some are large. */
  readonly document: () => string | Uint8Array
  /** Models that it may import. */
  readonly beside?: () => readonly string[]
  /** The first reported code; `too-large`: thrown. */
  readonly code: string
  /** Its position: `line:column`, or the path. */
  readonly at: string
}

const csv = (title: string, document: () => string, code: string, at: string): BadInput => ({
  title,
  format: 'csv',
  document,
  code,
  at,
})
const xlsx = (title: string, document: () => Uint8Array, code: string, at = ''): BadInput => ({
  title,
  format: 'xlsx',
  document,
  code,
  at,
})
const dmn = (title: string, document: () => string, code: string, at: string): BadInput => ({
  title,
  format: 'dmn',
  document,
  code,
  at,
})

/** A model `a`, and others that it imports. */
const importing = (
  title: string,
  document: string,
  beside: () => readonly string[],
  code: string,
  at: string,
): BadInput => ({
  title,
  format: 'dmn',
  document: () => document,
  beside,
  code,
  at,
})

const HEAD = 'in:a,out:b\n'

const CSV: readonly BadInput[] = [
  csv('nothing', () => '', 'no-header', ''),
  csv('a byte order mark alone', () => '\uFEFF', 'no-header', ''),
  csv('blank lines alone', () => '\r\n\r\n\n', 'no-header', ''),
  csv('no header', () => 'a,b\n1,2', 'no-header', '1:1'),
  csv('a header behind a row', () => `note\n${HEAD}`, 'no-header', '1:1'),
  csv('a quote that is never closed', () => `${HEAD}1,"two\n3,4\n`, 'bad-csv', '2:3'),
  csv('text behind a closing quote', () => `${HEAD}1,"two"3\n`, 'bad-csv', '2:8'),
  csv('a quote within a cell', () => `${HEAD}1,a "b"\n`, 'bad-csv', '2:5'),
  csv('a row that is too short', () => `${HEAD}1\n`, 'short-row', '2:1'),
  csv('a row that is too long', () => `${HEAD}1,2,3\n`, 'cell-without-column', '2:5'),
  csv('two columns for the next step', () => 'in:a,next,next\n1,A,B\n', 'repeated-column', '1:11'),
  csv('a column without a field', () => 'in:,out:b\n1,2\n', 'empty-name', '1:1'),
  csv('a path that is none', () => 'in:a..b,out:b\n1,2\n', 'bad-path', '1:1'),
  csv('an output that is a path', () => 'in:a,out:b.c\n1,2\n', 'bad-path', '1:6'),
  csv('a bare word in an input cell', () => `${HEAD}DE,1\n`, 'cell-not-literal', '2:1'),
  csv('a formula', () => `${HEAD}=A1+1,1\n`, 'cell-not-literal', '2:1'),
  csv('an interval upside down', () => `${HEAD}[5..1],1\n`, 'bad-interval', '2:1'),
  csv('an expression with a mistake', () => `${HEAD}1,(2 +\n`, 'unexpected-token', '2:3'),
  csv('a cell of another type', () => 'in:a:number,out:b\n"""x""",1\n', 'cell-type', '2:1'),
  csv('a function that there is not', () => `${HEAD}1,system(2)\n`, 'unknown-function', '2:3'),
  csv('NUL in a cell', () => `${HEAD}1,\0\n`, 'unexpected-character', '2:3'),
  csv('an expression that is nested too deeply', () => `${HEAD}1,${'('.repeat(5000)}1\n`, 'nested-too-deeply', '2:3'),
  csv('10^6 rows', () => HEAD + '1,2\n'.repeat(1_000_000), 'too-large', ''),
  csv('10^6 columns', () => `${'in:a,'.repeat(1_000_000)}\n`, 'bad-csv', '1:5001'),
  csv('40 MiB within one quote', () => `${HEAD}1,"${'x'.repeat(40_000_000)}`, 'bad-csv', '2:3'),
  csv('40 MiB of quotes', () => `${HEAD}1,"${'""'.repeat(20_000_000)}`, 'bad-csv', '2:3'),
  csv('20 MiB in the cells', () => HEAD + `1,"${'x'.repeat(60_000)}"\n`.repeat(350), 'too-large', ''),
]

const ROWS: readonly (readonly WrittenCell[])[] = [
  [text('in:a'), text('out:b')],
  [number(1), number(2)],
]
const book = (rows: readonly (readonly WrittenCell[])[]) => workbookBytes({ sheets: [{ name: 'T', rows }] })
const SHEET = 'xl/worksheets/sheet1.xml'
/** The workbook with one part changed. */
const withPart = (path: string, change: (part: string) => string) => {
  const parts = workbookParts({ sheets: [{ name: 'T', rows: ROWS }] })
  return packed({ ...parts, [path]: change(parts[path] ?? '') })
}
const without = (path: string) => {
  const { [path]: _, ...parts } = workbookParts({ sheets: [{ name: 'T', rows: ROWS }] })
  return packed(parts)
}
const inSheet = (change: (data: string) => string) =>
  withPart(SHEET, (part) => part.replace(/<sheetData>.*<\/sheetData>/s, (data) => change(data)))

/** The workbook with a sheet padded by this many blanks, which compress to almost nothing. */
function bomb(bytes: number, stated: number): Uint8Array {
  const parts = Object.entries(workbookParts({ sheets: [{ name: 'T', rows: ROWS }] }))
  const archive = zipSync(
    Object.fromEntries(parts.map(([path, part]) => [path, strToU8(path === SHEET ? 'X' : part)])),
    {
      level: 0,
    },
  )
  const sheet = Buffer.alloc(bytes, ' ')
  sheet.write('<worksheet>')
  return withReplaced(archive, deflateRawSync(sheet), stated)
}

/** The archive with the stored content `X` of one file replaced by deflated bytes, and with a false size for them. */
function withReplaced(archive: Uint8Array, content: Uint8Array, stated: number): Uint8Array {
  const bytes = Buffer.from(archive)
  const local = bytes.indexOf(SHEET) - 30
  const entry = bytes.lastIndexOf(SHEET) - 46
  const begin = local + 30 + SHEET.length
  const grown = Buffer.concat([bytes.subarray(0, begin), content, bytes.subarray(begin + 1)])
  const moved = (at: number) => (at > begin ? at + content.length - 1 : at)
  const end = grown.length - 22
  for (let at = moved(bytes.readUInt32LE(bytes.length - 6)); at < end;) {
    grown.writeUInt32LE(moved(grown.readUInt32LE(at + 42)), at + 42)
    at += 46 + grown.readUInt16LE(at + 28) + grown.readUInt16LE(at + 30) + grown.readUInt16LE(at + 32)
  }
  grown.writeUInt16LE(8, moved(entry) + 10)
  grown.writeUInt32LE(content.length, moved(entry) + 20)
  grown.writeUInt32LE(stated, moved(entry) + 24)
  grown.writeUInt32LE(moved(bytes.readUInt32LE(bytes.length - 6)), end + 16)
  return grown
}

const ENTITIES = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at} "${`&a${at === 0 ? '' : at - 1};`.repeat(10)}">`).join('')}]>`

const XLSX: readonly BadInput[] = [
  xlsx('nothing', () => new Uint8Array(), 'unreadable'),
  xlsx('text', () => strToU8('in:a,out:b\n1,2\n'.repeat(10)), 'unreadable'),
  xlsx('an older workbook', () => new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, ...new Uint8Array(100)]), 'unreadable'),
  xlsx('an archive without a workbook', () => packed({ 'a.txt': 'b' }), 'unreadable'),
  xlsx('an archive that is cut off', () => book(ROWS).subarray(0, -40), 'unreadable'),
  xlsx('a directory that leads nowhere', () => book(ROWS).fill(0xff, -6, -2), 'unreadable'),
  xlsx('a missing sheet', () => without(SHEET), 'unreadable'),
  xlsx('missing relations', () => without('xl/_rels/workbook.xml.rels'), 'unreadable'),
  xlsx('two files of one path', () => twice(book(ROWS)), 'unreadable'),
  xlsx('an encrypted file', () => encrypted(book(ROWS)), 'unreadable'),
  xlsx('a sheet of 200 MiB in 200 KiB', () => bomb(200_000_000, 200_000_000), 'too-large'),
  xlsx('a sheet of 200 MiB that states 20 KiB', () => bomb(200_000_000, 20_000), 'unreadable'),
  xlsx(
    'a billion laughs',
    () => withPart(SHEET, (part) => part.replace('<worksheet', `${ENTITIES}<worksheet`)),
    'unreadable',
  ),
  xlsx('an entity of its own', () => inSheet((data) => data.replace('in:a', '&file;')), 'unreadable'),
  xlsx('elements nested 100,000 levels deep', () => inSheet(() => '<a>'.repeat(100_000)), 'unreadable'),
  xlsx(
    '100,000 attributes',
    () => inSheet(() => `<a ${Array.from({ length: 100_000 }, (_, at) => `b${at}=""`).join(' ')}/>`),
    'unreadable',
  ),
  xlsx('no XML', () => withPart(SHEET, () => '{"cells": []}'), 'unreadable'),
  xlsx('no UTF-8', () => withPart(SHEET, (part) => part.replace('in:a', 'in:\uFFFD')), 'unreadable'),
  xlsx('rows out of order', () => inSheet((data) => data.replace('r="2"', 'r="1"')), 'unreadable'),
  xlsx('cells out of order', () => inSheet((data) => data.replace('r="B2"', 'r="A2"')), 'unreadable'),
  xlsx('a cell far away', () => inSheet((data) => data.replace('r="B2"', 'r="ZZZ2"')), 'unreadable'),
  xlsx(
    'a text that there is not',
    () => inSheet((data) => data.replace('<c r="B2" ', '<c r="B2" t="s" ')),
    'unreadable',
  ),
  xlsx(
    'a type of cells that there is not',
    () => inSheet((data) => data.replace('<c r="B2" ', '<c r="B2" t="x" ')),
    'unreadable',
  ),
  xlsx('a number that is none', () => inSheet((data) => data.replace('<v>2<', '<v>1e999<')), 'unreadable'),
  xlsx('no table', () => book([[text('hello')]]), 'no-table'),
  xlsx('an empty sheet', () => book([]), 'no-table'),
  xlsx('a formula in the header', () => book([[text('in:a'), formula('"out:b"', 'out:b')]]), 'formula', '/T/B1'),
  xlsx('a formula in a cell', () => book([ROWS[0] ?? [], [formula('B2', '1'), number(2)]]), 'formula', '/T/A2'),
  xlsx(
    'a cell with an error',
    () => book([ROWS[0] ?? [], [{ attributes: 't="e"', content: '<v>#REF!</v>' }]]),
    'error-value',
    '/T/A2',
  ),
  xlsx('a bare word', () => book([ROWS[0] ?? [], [text('DE'), number(2)]]), 'cell-not-literal', '/T/A2'),
  xlsx(
    'a cell without a column',
    () => book([ROWS[0] ?? [], [number(1), number(2), number(3)]]),
    'cell-without-column',
    '/T/C2',
  ),
  xlsx('10^6 rows', () => manyRows(1_000_000), 'too-large'),
  xlsx('a text of 30,000 characters in 100,000 cells', () => sharedTexts(), 'too-large'),
]

const directoryOf = (bytes: Buffer) => bytes.readUInt32LE(bytes.length - 6)

function twice(archive: Uint8Array): Uint8Array {
  const bytes = Buffer.from(archive)
  const at = directoryOf(bytes)
  const length = 46 + bytes.readUInt16LE(at + 28)
  const grown = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
  grown.writeUInt16LE(bytes.readUInt16LE(bytes.length - 12) + 1, grown.length - 12)
  return grown
}

function encrypted(archive: Uint8Array): Uint8Array {
  const bytes = Buffer.from(archive)
  bytes.writeUInt16LE(1, directoryOf(bytes) + 8)
  return bytes
}

function manyRows(count: number): Uint8Array {
  return inSheet((data) => data.replace('</sheetData>', `${'<row><c><v>1</v></c></row>'.repeat(count)}</sheetData>`))
}

function sharedTexts(): Uint8Array {
  const parts = workbookParts({ sharedTexts: [`<t>"${'x'.repeat(30_000)}"</t>`], sheets: [{ name: 'T', rows: ROWS }] })
  const rows = '<row><c t="s"><v>0</v></c></row>'.repeat(99_000)
  return packed({ ...parts, [SHEET]: (parts[SHEET] ?? '').replace('</sheetData>', `${rows}</sheetData>`) })
}

const decision = (logic: string) => dmnText([{ name: 'D', xml: logic }])
const table = (inner: string, attributes = '') => decision(`<decisionTable ${attributes}>${inner}</decisionTable>`)
const entry = (test: string, output = '1') =>
  dmnText([{ name: 'D', table: { inputs: [['x']], outputs: [{}], rules: [[test, output]] } }])
const FEEL_LINE = '9:7'
/** Places of the decisions of `calling` and of `typed`. */
const CALL = '6:77'
const TYPED = '8:1'

/** A decision that requires nothing. */
const ONE = '<decision id="D" name="D"><literalExpression><text>1</text></literalExpression></decision>'

const DMN: readonly BadInput[] = [
  dmn('nothing', () => '', 'unreadable', '1:1'),
  dmn('text', () => 'hello', 'unreadable', '1:6'),
  dmn('JSON', () => '{"nodes": []}', 'unreadable', '1:14'),
  dmn('another kind of XML', () => '<html/>', 'no-model', '1:1'),
  dmn('a process', () => '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>', 'no-model', '1:1'),
  dmn('a model without a decision', () => `<definitions xmlns="${DMN_13}"/>`, 'no-decision', '1:1'),
  dmn('a prefix without a namespace', () => '<dmn:definitions/>', 'unreadable', '1:18'),
  dmn('a document that is cut off', () => entry('1').slice(0, 400), 'unreadable', '9:83'),
  dmn('a billion laughs', () => `${ENTITIES}<definitions xmlns="${DMN_13}">&a9;</definitions>`, 'unreadable', '1:1229'),
  dmn('an external entity', () => '<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>', 'unreadable', '1:40'),
  dmn('another encoding', () => '<?xml version="1.0" encoding="UTF-16"?><x/>', 'unreadable', '1:39'),
  dmn('elements nested 100,000 levels deep', () => '<a>'.repeat(100_000), 'unreadable', '1:303'),
  dmn('2,000,000 elements', () => `<a>${'<b/>'.repeat(2_000_000)}</a>`, 'too-large', ''),
  dmn(
    'a decision that requires itself',
    () => dmnText([{ name: 'A', requires: ['A'], expression: '1' }]),
    'cycle',
    '4:1',
  ),
  dmn('decisions in a ring', () => ring(['A', 'B', 'C']), 'cycle', '4:1'),
  dmn('a ring of 10,000 decisions', () => ring(Array.from({ length: 10_000 }, (_, at) => `D${at}`)), 'cycle', '4:1'),
  dmn(
    'a decision that there is not',
    () => dmnText([{ name: 'A', requires: ['B'], expression: '1' }]),
    'unknown-requirement',
    '4:1',
  ),
  dmn(
    'two decisions of one id',
    () =>
      dmnText([
        { name: 'A', expression: '1' },
        { name: 'A', expression: '2' },
      ]),
    'repeated-id',
    '8:1',
  ),
  dmn('a decision without logic', () => decision(''), 'no-logic', '4:1'),
  dmn('a boxed invocation', () => decision('<invocation/>'), 'boxed-expression', '6:1'),
  dmn(
    'another language',
    () => decision('<literalExpression expressionLanguage="juel"><text>1</text></literalExpression>'),
    'expression-language',
    '6:1',
  ),
  dmn('a hit policy that there is not', () => table('<output/>', 'hitPolicy="BEST"'), 'hit-policy', '6:1'),
  dmn(
    'a sum of two outputs',
    () => table('<output name="a"/><output name="b"/>', 'hitPolicy="COLLECT" aggregation="SUM"'),
    'aggregation',
    '6:1',
  ),
  dmn('priorities without values', () => table('<output/>', 'hitPolicy="PRIORITY"'), 'no-priorities', '6:1'),
  dmn(
    'a rule with too many entries',
    () => table('<output/><rule><outputEntry/><outputEntry/></rule>'),
    'entries',
    '6:26',
  ),
  dmn('an input without an expression', () => table('<input/><output/>'), 'no-input-expression', '6:17'),
  dmn('an input entry with a function', () => entry('some(x)'), 'feel', FEEL_LINE),
  dmn('an input entry that may be a value or a condition', () => entry('limit'), 'feel', FEEL_LINE),
  dmn('an interval upside down', () => entry('[5..1]'), 'feel', FEEL_LINE),
  dmn(
    'functions whose arguments are written twice, 60 levels deep',
    () => entry(`= ${'substring before('.repeat(60)}"a"${', "b")'.repeat(60)}`),
    'feel',
    FEEL_LINE,
  ),
  dmn('a duration', () => entry('< duration("P1D")'), 'feel', FEEL_LINE),
  dmn('a time with an offset', () => entry('time("10:00:00+02:00")'), 'feel', FEEL_LINE),
  dmn('a day that there is not', () => entry('date("2026-02-30")'), 'feel', FEEL_LINE),
  dmn('a number with 34 digits', () => entry('0.1234567890123456789012345678901234'), 'feel', FEEL_LINE),
  dmn('an entry that is nested too deeply', () => entry(`? = ${'('.repeat(10_000)}`), 'feel', FEEL_LINE),
  dmn('an entry of a million characters', () => entry(`"${'x'.repeat(1_000_000)}"`), 'feel', FEEL_LINE),
  dmn('a loop in an output', () => entry('1', 'for i in x return i'), 'feel', '9:46'),
  dmn('a filter in an output', () => entry('1', 'x[item > 1]'), 'feel', '9:46'),
  dmn('functions with tables that call each other twice', () => tableBomb(16), 'feel', CALL),
  dmn('arguments that grow fourfold with each level', () => argumentBomb(19), 'feel', CALL),
  dmn('a function with a table that calls itself', () => tableBomb(1, 'f0'), 'feel', CALL),
  dmn('a table of 100,000 rules in a function', () => largeFunction(100_000), 'feel', CALL),
  dmn('iterations within each other, 200 levels', () => typed(iterations(200)), 'feel', TYPED),
  dmn('a range of 10^15 numbers', () => typed('for i in 1..1000000000000000 return i * n'), 'feel', TYPED),
  dmn('6,000 filters of filters', () => typed(`list${'[item > 1]'.repeat(6000)}`), 'feel', TYPED),
  dmn(
    'a path of 10,000 members of a type that contains itself',
    () => typed(`tree${'.next'.repeat(10_000)}`),
    'feel',
    TYPED,
  ),
  dmn('members of 16,000 lists within lists', () => typed(`tree${'.all'.repeat(16_000)}`), 'feel', TYPED),
  dmn('an iteration over a name that is a keyword', () => typed('for return in list return return'), 'feel', TYPED),
  dmn(
    'inputs with the names of keywords',
    () => dmnText([{ name: 'D', requires: ['if'], expression: 'if + 1' }], [['if', 'number']]),
    'feel',
    '6:1',
  ),
  dmn('a sum of 15,000 numbers', () => typed(`n${' + n'.repeat(15_000)}`), 'feel', TYPED),
  dmn('a condition of 6,000 parts', () => typed(`n = 1${' and n = 1'.repeat(6000)}`), 'feel', TYPED),
  dmn('a service that calls itself', () => service('<outputDecision href="#_D"/>'), 'feel', '6:76'),
  dmn(
    'a service of a decision of another model',
    () => service('<outputDecision href="http://example.com#_D"/>'),
    'unknown-requirement',
    '3:1',
  ),
  dmn('services that call each other four times', () => serviceBomb(9), 'feel', '3:283'),
  dmn('a service with a chain of 100 decisions', () => longService(100), 'feel', CALL),
  dmn('business knowledge models in a ring', () => knowledgeRing(3), 'feel', CALL),
  dmn('a business knowledge model whose name is a keyword', () => calling(functionOf('f0', X), 'if(n)'), 'feel', CALL),
  importing('an import without its model', modelText('a', { b: 'b' }, ONE), () => [], 'missing-model', '1:97'),
  importing('a model that imports itself', modelText('a', { b: 'a' }, ONE), () => [], 'import-cycle', '1:97'),
  importing(
    'models that import each other',
    modelText('a', { b: 'b' }, ONE),
    () => [modelText('b', { c: 'c' }, ONE), modelText('c', { a: 'a' }, ONE)],
    'import-cycle',
    '1:97',
  ),
  importing(
    'an import of two models of one namespace',
    modelText('a', { b: 'b' }, ONE),
    () => [modelText('b', {}, ONE), modelText('b', {}, '')],
    'several-models',
    '1:97',
  ),
  importing(
    'imports of 200 models by each other',
    modelText('a', { b: 'm0' }, ONE),
    () => importChain(200),
    'too-large',
    '',
  ),
  importing(
    'an import of a document that is not XML',
    modelText('a', { b: 'b' }, ONE),
    () => ['<definitions'],
    'missing-model',
    '1:97',
  ),
  importing(
    'decisions of two models that require each other',
    modelText('a', { b: 'b' }, decisionOf('D', '1', 'b#E')),
    () => [modelText('b', {}, decisionOf('E', '1', '#F') + decisionOf('F', '1', '#E'))],
    'cycle',
    '2:1',
  ),
  importing(
    'a required decision that the imported model has not',
    modelText('a', { b: 'b' }, decisionOf('D', '1', 'b#F')),
    () => [modelText('b', {}, ONE)],
    'unknown-requirement',
    '2:1',
  ),
  importing(
    'input data of one name in two models',
    modelText('a', { b: 'b' }, `<inputData id="n" name="n"/>${decisionOf('D', '1', 'b#E')}`),
    () => [
      modelText(
        'b',
        {},
        '<inputData id="n" name="n"/><decision id="E" name="E"><informationRequirement><requiredInput href="#n"/></informationRequirement><literalExpression><text>n</text></literalExpression></decision>',
      ),
    ],
    'repeated-input',
    '2:1',
  ),
  importing(
    'a type of another model within an expression',
    modelText('a', { b: 'b' }, decisionOf('D', '1 instance of b.tNumber', 'b#E')),
    () => [modelText('b', {}, decisionOf('E', '1', '#E'))],
    'type-name',
    '2:125',
  ),
  dmn('a text for a column of numbers', () => mistyped(), 'cell-type', '9:1'),
  dmn('10^5 rules and one', () => head(100_001), 'too-large', ''),
]

/** Functions whose tables call the next one twice, and the last one `last`. */
function tableBomb(length: number, last = ''): string {
  const callOf = (name: string) => (name === '' ? 'x + x' : `${name}(x + x) + ${name}(x)`)
  const models = Array.from({ length }, (_, index) => {
    const next = index + 1 === length ? last : `f${index + 1}`
    const rules = '<rule><inputEntry><text>1</text></inputEntry><outputEntry><text>0</text></outputEntry></rule>'
    return functionOf(
      `f${index}`,
      `<decisionTable hitPolicy="FIRST"><input><inputExpression><text>x</text></inputExpression></input><output/>${rules}<rule><inputEntry><text>-</text></inputEntry><outputEntry><text>${callOf(next)}</text></outputEntry></rule></decisionTable>`,
      next,
    )
  })
  return calling(models.join(''), 'f0(n)')
}

/** Functions that pass the sum of four of their arguments to the next one. */
const argumentBomb = (length: number) =>
  calling(
    Array.from({ length }, (_, index) => {
      const next = index + 1 < length ? `f${index + 1}` : ''
      const body = next === '' ? 'x' : `${next}(x + x + x + x)`
      return functionOf(`f${index}`, `<literalExpression><text>${body}</text></literalExpression>`, next)
    }).join(''),
    'f0(n)',
  )

const X = '<literalExpression><text>x</text></literalExpression>'

/** A decision that requires another. */
function decisionOf(name: string, expression: string, requires: string): string {
  return `<decision id="${name}" name="${name}"><informationRequirement><requiredDecision href="${requires}"/></informationRequirement><literalExpression><text>${expression}</text></literalExpression></decision>`
}

/** Models `m0`, `m1` and so on, each of which imports the next one. */
const importChain = (length: number) =>
  Array.from({ length }, (_, index) => modelText(`m${index}`, { next: `m${index + 1}` }, ONE))

/** Functions of which each calls the next, and the last one the first. */
const knowledgeRing = (length: number) =>
  calling(
    Array.from({ length }, (_, index) => {
      const next = `f${(index + 1) % length}`
      return functionOf(`f${index}`, `<literalExpression><text>${next}(x)</text></literalExpression>`, next)
    }).join(''),
    'f0(n)',
  )

/** Services whose decisions call the next one four times. */
const serviceBomb = (length: number) =>
  calling(
    Array.from({ length }, (_, index) => {
      const [next, value] =
        index + 1 < length
          ? [
              `f${index + 1}`,
              Array(4)
                .fill(`f${index + 1}(x + x)`)
                .join(' + '),
            ]
          : ['', 'x + x']
      const requires = next && `<knowledgeRequirement><requiredKnowledge href="#${next}"/></knowledgeRequirement>`
      return serviceOf(
        index,
        `<informationRequirement><requiredInput href="#x"/></informationRequirement>${requires}<literalExpression><text>${value}</text></literalExpression>`,
      )
    }).join('') + '<inputData id="x" name="x"/>',
    'f0(n)',
  )

const serviceOf = (index: number, logic: string) =>
  `<decisionService id="f${index}" name="f${index}"><outputDecision href="#d${index}"/><inputData href="#x"/></decisionService><decision id="d${index}" name="d${index}">${logic}</decision>`

/** A service whose decision requires another, and so on. */
const longService = (length: number) =>
  calling(
    `<decisionService id="f0" name="f0"><outputDecision href="#d0"/><inputData href="#x"/></decisionService><inputData id="x" name="x"/>` +
      Array.from({ length }, (_, index) =>
        index + 1 < length
          ? decisionOf(`d${index}`, `d${index + 1} + 1`, `#d${index + 1}`)
          : `<decision id="d${index}" name="d${index}"><informationRequirement><requiredInput href="#x"/></informationRequirement><literalExpression><text>x</text></literalExpression></decision>`,
      ).join(''),
    'f0(n)',
  )

const largeFunction = (rules: number) =>
  calling(functionOf('f0', `<decisionTable><output/>${'<rule/>'.repeat(rules)}</decisionTable>`), 'f0(n)')

const functionOf = (name: string, logic: string, requires = '') =>
  `<businessKnowledgeModel id="${name}" name="${name}"><variable name="${name}"/><encapsulatedLogic><formalParameter name="x"/>${logic}</encapsulatedLogic>${requires && `<knowledgeRequirement><requiredKnowledge href="#${requires}"/></knowledgeRequirement>`}</businessKnowledgeModel>`

const calling = (models: string, expression: string) =>
  dmnText(
    [
      {
        name: 'D',
        requires: ['n'],
        xml: `<knowledgeRequirement><requiredKnowledge href="#f0"/></knowledgeRequirement><literalExpression><text>${expression}</text></literalExpression>`,
      },
    ],
    [['n', 'number']],
    { extra: models },
  )

const LISTS = `<itemDefinition name="tList" isCollection="true"><typeRef>number</typeRef></itemDefinition><itemDefinition name="tTree"><itemComponent name="next"><typeRef>tTree</typeRef></itemComponent><itemComponent name="all" isCollection="true"><typeRef>tTree</typeRef></itemComponent></itemDefinition>`

/** A decision that reads a number, a list of numbers and a tree. */
const typed = (expression: string) =>
  dmnText(
    [{ name: 'D', requires: ['n', 'list', 'tree'], expression }],
    [
      ['n', 'number'],
      ['list', 'tList'],
      ['tree', 'tTree'],
    ],
    { extra: LISTS },
  )

const iterations = (levels: number) =>
  `${Array.from({ length: levels }, (_, level) => `for i${level} in list return `).join('')}i0`

const service = (parts: string) =>
  dmnText(
    [
      {
        name: 'D',
        requires: ['n'],
        xml: '<knowledgeRequirement><requiredKnowledge href="#s"/></knowledgeRequirement><literalExpression><text>s()</text></literalExpression>',
      },
    ],
    [['n', 'number']],
    { extra: `<decisionService id="s" name="s">${parts}</decisionService>` },
  )

const ring = (names: readonly string[]) =>
  dmnText(names.map((name, at) => ({ name, requires: [names[(at + 1) % names.length] ?? ''], expression: '1' })))

const mistyped = () =>
  dmnText([{ name: 'D', table: { inputs: [['x', 'number']], outputs: [{}], rules: [['"a"', '1']] } }])

const head = (rules: number) => table(`<output/>${'<rule/>'.repeat(rules)}`)

export const BAD_INPUT: readonly BadInput[] = [...CSV, ...XLSX, ...DMN]
