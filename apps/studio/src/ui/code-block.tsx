import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { copyLabel, copyText } from './copy-text.ts'
import { Icon } from './icon.tsx'

/** Monospaced text with a button that copies it. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  const { common } = useTexts()
  const [isCopied, setCopied] = useState<boolean>()
  const copy = () => void copyText(text).then(setCopied)
  return (
    <div className="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <button type="button" className="btn" onClick={copy}>
        <Icon name={isCopied === true ? 'check' : 'copy'} size={13} />
        <span aria-live="polite">{copyLabel(isCopied, common.copy, common)}</span>
      </button>
    </div>
  )
}
