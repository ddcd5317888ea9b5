import { many } from './plural.ts'

export const imports = {
  title: 'Import rules',
  text: 'Rules from GoRules, DMN, json-rules-engine, Excel and CSV. You see what each file becomes before anything is stored.',
  needs: 'Files',
  choose: 'Choose files',
  drop: 'Drop files here, or choose them. Several at a time are fine.',
  kinds: '.json (GoRules, json-rules-engine, this engine), .dmn, .xlsx, .csv',
  format: 'Format',
  formats: {
    jdm: 'GoRules (JDM)',
    dmn: 'DMN',
    'json-rules-engine': 'json-rules-engine',
    xlsx: 'Excel',
    csv: 'CSV',
    engine: 'This engine',
  },
  name: 'Name',
  nameHint: 'Of the ruleset, if the file has none',
  decision: 'Decision',
  decisionHint: 'The name or id of the only decision to read; empty: all',
  repeatInput: 'Results repeat the input, as GoRules does',
  remove: (file: string) => `Leave out ${file}`,
  check: 'Read the files',
  checking: 'Reading…',
  report: 'Report',
  verdict: (ready: number, review: number, refused: number) =>
    refused > 0
      ? `${many(refused, 'file cannot be imported', 'files cannot be imported')} as it is.`
      : review > 0
        ? `${many(review, 'file needs', 'files need')} a look before you import.`
        : `${ready === 1 ? 'The file is' : `All ${ready} files are`} ready.`,
  casesRun: (passed: number, total: number) =>
    total === 0
      ? 'The files have no tests.'
      : passed === total
        ? `All ${many(total, 'test', 'tests')} of the files pass here.`
        : `${passed} of ${many(total, 'test', 'tests')} of the files pass here.`,
  verdicts: { ready: 'ready', review: 'to review', refused: 'refused' },
  documents: 'Files',
  document: 'File',
  becomes: 'Becomes',
  nothing: 'nothing',
  cases: 'Tests',
  passedOf: (passed: number, total: number) => `${passed} of ${total}`,
  notRun: 'not run',
  none: 'none',
  failedCases: 'Tests that fail here',
  passed: 'passed',
  failed: 'failed',
  allCases: (count: number) => `All ${many(count, 'test', 'tests')}`,
  reasons: 'What was not carried over exactly',
  noReasons: 'Everything was carried over exactly.',
  severities: { error: 'missing', warning: 'may decide differently', info: 'for your information' },
  places: (count: number) => many(count, 'place', 'places'),
  hidden: (count: number) => `and ${many(count, 'more place', 'more places')}`,
  position: (line: number, column: number) => `line ${line}, column ${column}`,
  /** Titles of reasons by their codes; others show the code. */
  codes: {
    join: 'Objects of several nodes are joined',
    members: 'A member is removed by null',
    input: 'The input is part of the result',
    decimals: 'Digits after the 28th',
    'text-length': 'Lengths of texts that are not ASCII',
    'unicode-classes': 'Classes of regular expressions',
    'key-order': 'Order of keys',
    comparison: 'Comparisons of values of unknown types',
    failure: 'A test of a list that fails for one element',
    row: 'Outputs of rows that compare missing values',
    schema: 'Keywords of the schema that a contract does not check',
    unconnected: 'Nodes that lead nowhere',
    operator: 'Operators without a counterpart',
    'no-counterpart': 'Parts without a counterpart',
    cells: 'Cells that could not be read',
    'cell-ambiguous': 'Cells with two meanings',
    event: 'Events',
    priority: 'Priorities',
    rows: 'Rows of tables',
    columns: 'Columns of tables',
    steps: 'Steps',
    test: 'Tests of the file',
    'not-read': 'The file could not be read',
  } as { readonly [code: string]: string },
  apply: (count: number) => `Import ${many(count, 'ruleset', 'rulesets')}`,
  applyText: 'New drafts are made of all of them or of none. Nothing that is live changes.',
  refusedText: 'A file with missing parts is not stored. Leave it out, or change it where the report points.',
  reviewText: 'The drafts keep what the report names; compare them with your own tests before you release them.',
  done: (count: number) => `${many(count, 'ruleset was', 'rulesets were')} imported as new drafts.`,
  open: 'Open the rulesets',
  again: 'Import more',
}

export type ImportTexts = typeof imports
