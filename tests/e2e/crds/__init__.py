"""The definitions of Karpenter's kinds, judged by a real API server over the objects of cases/."""
