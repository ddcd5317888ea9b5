/**
 * Copy a text to the clipboard. Pages without a certificate have no clipboard for scripts, and browsers may deny it: then the text is
 * copied as a selected one. False: the browser allows neither.
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
  // A modal dialog lets nothing outside of it be selected.
  const parent = focused?.closest('[role=dialog]') ?? document.body
  parent.append(area)
  area.select()
  // oxlint-disable-next-line typescript/no-deprecated -- no other way where scripts have no clipboard
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

interface CopyTexts {
  readonly copied: string
  readonly notCopied: string
}

/** The label of a button that copies, before and after. */
export function copyLabel(isCopied: boolean | undefined, label: string, { copied, notCopied }: CopyTexts): string {
  if (isCopied === undefined) return label
  return isCopied ? copied : notCopied
}
