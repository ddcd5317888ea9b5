import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

/** Whether a test passed; undefined if it was not run. */
export function ResultTag({ passed }: { readonly passed: boolean | undefined }) {
  const { tests: texts } = useTexts()
  if (passed === undefined) return <span className="tag">{texts.notRun}</span>
  return (
    <span className="tag" data-tone={passed ? 'ok' : 'bad'}>
      <Icon name={passed ? 'check' : 'x'} size={12} />
      {passed ? texts.passed : texts.failed}
    </span>
  )
}
