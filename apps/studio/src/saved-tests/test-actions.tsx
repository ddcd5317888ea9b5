import { useState } from 'react'
import { useMay } from '../frame/route-scope.ts'
import { useTexts } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { Refusal } from '../ui/states.tsx'
import { EditTestBox } from './edit-test-box.tsx'
import { acceptOutcome, type Outcome } from './expectation.ts'
import { removeTest, replaceTest, type SavedTest, type TestsPlace } from './saved-test.ts'

interface TestActionsProps {
  readonly place: TestsPlace
  readonly test: SavedTest
  /** The new outcome of a failed test; undefined if it passed or was not run. */
  readonly outcome: Outcome | undefined
}

/** Actions to accept the new outcome of a failed test, to edit a test, and to delete it. */
export function TestActions({ place, test, outcome }: TestActionsProps) {
  const { savedTests: texts } = useTexts()
  const mayEdit = useMay('ruleset.edit')
  const [open, setOpen] = useState<'edit' | 'remove'>()
  const [error, setError] = useState<Error>()
  const close = () => setOpen(undefined)
  if (!mayEdit) return null
  const accept = (result: Outcome) => {
    setError(undefined)
    replaceTest(place, { ...test, expect: acceptOutcome(test.expect, result) }).catch(setError)
  }
  return (
    <span className="row test-actions">
      {outcome !== undefined && (
        <button type="button" className="btn" onClick={() => accept(outcome)}>
          <Icon name="check" size={13} />
          {texts.accept}
          <span className="vh"> {test.name}</span>
        </button>
      )}
      <button
        type="button"
        className="btn icon"
        data-kind="quiet"
        aria-label={`${texts.edit} ${test.name}`}
        title={texts.edit}
        onClick={() => setOpen('edit')}
      >
        <Icon name="edit" size={13} />
      </button>
      <button
        type="button"
        className="btn icon"
        data-kind="quiet"
        aria-label={texts.removeOf(test.name)}
        title={texts.remove}
        onClick={() => setOpen('remove')}
      >
        <Icon name="trash" size={13} />
      </button>
      <Refusal error={error} />
      {open === 'edit' && <EditTestBox place={place} test={test} close={close} />}
      {open === 'remove' && (
        <Confirm
          title={texts.removeOf(test.name)}
          text={texts.removeText}
          submit={texts.remove}
          close={close}
          send={() => removeTest(place, test)}
        />
      )}
    </span>
  )
}
