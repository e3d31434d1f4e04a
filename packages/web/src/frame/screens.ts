/** The screens that the navigation and the commands name, in this order. */
export const SCREENS = [
  ['/traces', 'Traces'],
  ['/sessions', 'Sessions'],
  ['/dashboard', 'Dashboard'],
  ['/playground', 'Playground'],
  ['/testsets', 'Testsets'],
  ['/evaluations', 'Evaluations'],
  ['/settings', 'Settings'],
] as const
