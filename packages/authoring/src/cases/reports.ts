/** A test in a report. */
export interface ReportedTest {
  readonly name: string
  /** Milliseconds. */
  readonly duration: number
  /** Empty when it passed. */
  readonly failures: readonly string[]
}

/** Tests of one file or ruleset. */
export interface ReportedSuite {
  readonly name: string
  readonly tests: readonly ReportedTest[]
}

/** JUnit XML, for build servers. Linear in the size of the report. */
export function junitText(suites: readonly ReportedSuite[]): string {
  const texts = suites.map(({ name, tests }) => {
    const failed = tests.filter(({ failures }) => failures.length > 0).length
    const head = `<testsuite name="${escaped(name)}" tests="${tests.length}" failures="${failed}">`
    return `  ${head}\n${tests.map((test) => testText(name, test)).join('')}  </testsuite>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${texts.join('')}</testsuites>\n`
}

function testText(suite: string, { name, duration, failures }: ReportedTest): string {
  const time = (duration / 1000).toFixed(6)
  const head = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}" time="${time}"`
  const [first] = failures
  if (first === undefined) return `${head}/>\n`
  const body = `<failure message="${escaped(first)}">${escaped(failures.join('\n'))}</failure>`
  return `${head}>\n      ${body}\n    </testcase>\n`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Escapes text for XML 1.0, which excludes most control characters and lone surrogates. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** The Test Anything Protocol, version 14. Linear in the size of the report. */
export function tapText(suites: readonly ReportedSuite[]): string {
  const all = suites.flatMap((suite) => suite.tests.map((test) => ({ ...test, suite: suite.name })))
  const lines = all.flatMap(({ suite, name, failures }, index) => {
    const title = `${index + 1} - ${tapName(`${suite}: ${name}`)}`
    if (failures.length === 0) return [`ok ${title}`]
    // JSON text is valid YAML.
    return [`not ok ${title}`, '  ---', ...failures.map((text) => `  - ${JSON.stringify(text)}`), '  ...']
  })
  return ['TAP version 14', `1..${all.length}`, ...lines, ''].join('\n')
}

/** A title is one line, in which `#` starts a directive. */
const tapName = (text: string) =>
  text.replaceAll(/[\r\n\u0085\u2028\u2029]+/g, ' ').replaceAll(/[\\#]/g, String.raw`\$&`)
