import { nameOf } from '../store/rule-file-reader.ts'
import { type Snapshot, UNSETTLED } from './snapshot.ts'

export interface Changes {
  /** The rulesets whose files have changed, or may have changed, since the previous scan. */
  readonly names: ReadonlySet<string>
  /** True if another scan is needed. */
  readonly isDoubtful: boolean
}

/**
 * Compares each scan with the previous one. A ruleset counts as removed after its files were missing in two scans: some
 * editors remove the old file before they write the new one.
 *
 * @param known the state before the first scan
 */
export function createComparison(known: Snapshot): (found: Snapshot) => Changes {
  let before = known
  let missing: ReadonlySet<string> = new Set()
  return (found) => {
    const names = changedNames(before, found)
    const present = new Set(Array.from(found.keys(), nameOf))
    const doubtful = names.filter((name) => !present.has(name) && !missing.has(name))
    missing = new Set(doubtful)
    // Missing files are kept, so that the next scan reports them as changes too.
    before = new Map([...found, ...[...before].filter(([file]) => missing.has(nameOf(file)))])
    return { names: new Set(names.filter((name) => !missing.has(name))), isDoubtful: doubtful.length > 0 }
  }
}

function changedNames(before: Snapshot, found: Snapshot): readonly string[] {
  const files = [...before.keys(), ...found.keys()].filter(
    (file) => before.get(file) !== found.get(file) || found.get(file) === UNSETTLED,
  )
  return [...new Set(files.map(nameOf))]
}
