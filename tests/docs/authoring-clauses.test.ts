import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeRowsOf, ROOT } from './page.testing.ts'

const PAGE = 'docs/platform/authoring-clauses.md'
const HEADINGS = ['Contracts, facts and concepts', 'Drafts and sub-rules', 'Trying, testing, exchanging']
const rows = HEADINGS.flatMap((heading) => codeRowsOf(PAGE, heading))

test.each(rows.map(([file = '', title = '', clause = '']) => ({ file, title, clause })))(
  '$clause: held by $file',
  ({ file, title }) => expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title),
)
