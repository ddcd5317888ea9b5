/** Have the browser save a text as a file. */
export const download = (name: string, type: string, text: string): void =>
  downloadBlob(name, new Blob([text], { type }))

/** Have the browser save data as a file. */
export function downloadBlob(name: string, data: Blob): void {
  const address = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // By then the browser has fetched the URL.
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}
