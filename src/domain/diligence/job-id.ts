/** A UUID by the interface (§2); other services have other ids. None has white space, or could lead to another route. */
export const isJobId = (text: string): boolean => /^(?!\.{1,2}$)[^\s/\\?#%\p{C}]{1,200}$/u.test(text);
