import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from './icon.tsx'

/** Monospaced text with a button that copies it. */
export function CodeBlock({ text, label }: { readonly text: string; readonly label: string }) {
  const { common } = useTexts()
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true))
  }
  return (
    <div className="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <button type="button" className="btn" onClick={copy}>
        <Icon name={isCopied ? 'check' : 'copy'} size={13} />
        <span aria-live="polite">{isCopied ? common.copied : common.copy}</span>
      </button>
    </div>
  )
}
