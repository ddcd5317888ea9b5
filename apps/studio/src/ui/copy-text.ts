/**
 * Copy a text to the clipboard. Insecure pages (HTTP) have no clipboard API, and browsers may deny it: the text is then
 * selected and copied. Returns false if the browser allows neither.
 */
export async function copyText(text: string): Promise<boolean> {
  const focused = document.activeElement
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text, focused)
  }
}

function copySelected(text: string, focused: Element | null): boolean {
  const area = document.createElement('textarea')
  area.className = 'vh'
  area.value = text
  // A modal dialog prevents selections outside it.
  const parent = focused?.closest('[role=dialog]') ?? document.body
  parent.append(area)
  area.select()
  // oxlint-disable-next-line typescript/no-deprecated -- the only way without a clipboard API
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

interface CopyTexts {
  readonly copied: string
  readonly notCopied: string
}

/** The label of a copy button, before and after copying. */
export function copyLabel(isCopied: boolean | undefined, label: string, { copied, notCopied }: CopyTexts): string {
  if (isCopied === undefined) return label
  return isCopied ? copied : notCopied
}
