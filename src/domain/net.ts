/** Whether the host of a URL is this machine itself, whatever a resolver says (RFC 6761 §6.3). */
export const isLoopback = (hostname: string): boolean =>
  /^(.+\.)?localhost$/.test(hostname) || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
