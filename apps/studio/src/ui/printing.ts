import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Whether the page is being printed; it renders for print before the browser lays it out. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    const paper = matchMedia('print')
    const set = (is: boolean) => flushSync(() => setPrinting(is))
    const onChange = () => set(paper.matches)
    const begin = () => set(true)
    const end = () => set(false)
    paper.addEventListener('change', onChange)
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      paper.removeEventListener('change', onChange)
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return isPrinting
}
