/** The largest upload in MiB. Assumed: the interface (§8) does not show it. */
export const MAX_UPLOAD_MIB = 256;
