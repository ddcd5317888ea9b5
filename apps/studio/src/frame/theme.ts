import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'
export const THEMES: readonly Theme[] = ['light', 'dark', 'system']

/** The same key as in public/theme.js. */
const STORED = 'studio.theme'
const listeners = new Set<() => void>()
const system = matchMedia('(prefers-color-scheme: dark)')

function stored(): Theme {
  const text = localStorage.getItem(STORED)
  return text === 'light' || text === 'dark' ? text : 'system'
}

function show(): void {
  const theme = stored()
  document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme
  for (const listener of listeners) listener()
}

system.addEventListener('change', show)

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme)
  show()
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, stored)
}
